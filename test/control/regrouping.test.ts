import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { lettersAtOnce } from '../../src/vault/operations/move-letters.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'
import { type MemoryVault, memoryVault } from './memory-vault.ts'
import { allCauses, asked, counted, Model, settle } from './regrouping.fixture.ts'
import { runs } from './vaults-under-test.ts'

const hour = 3_600_000
const said = { actor: 'ana', reason: 'they are', now: noon }
const errors = ['A', 'B', 'C', 'D'] as const
const channels = ['red', 'green', 'blue'] as const

type Step =
  | { readonly do: 'come'; readonly error: number; readonly channel: number; readonly age: number }
  | { readonly do: 'merge'; readonly cause: number; readonly into: number }
  | { readonly do: 'split'; readonly cause: number; readonly channel: number }
  | { readonly do: 'undo' | 'discard' | 'purge'; readonly which: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('come' as const), error: fc.nat(3), channel: fc.nat(2), age: fc.nat(5) }),
  fc.record({ do: fc.constant('merge' as const), cause: fc.nat(8), into: fc.nat(8) }),
  fc.record({ do: fc.constant('split' as const), cause: fc.nat(8), channel: fc.nat(2) }),
  fc.record({ do: fc.constantFrom('undo' as const, 'undo' as const, 'discard' as const, 'purge' as const), which: fc.nat(12) }),
)

/** The same errors on several channels are one cause here: what tells them apart is a service, so that rules have something to split by. */
class Game {
  readonly model = new Model()
  readonly names: string[] = []
  readonly ids = new Map<string, number>()
  readonly letters = new Map<number, { readonly error: string; readonly channel: string }>()
  readonly vault: Vault
  readonly source: number
  n = 0

  constructor(vault: Vault, source: number) {
    this.vault = vault
    this.source = source
  }

  async play(step: Step): Promise<void> {
    if (step.do === 'come') return this.come(errors[step.error] ?? 'A', channels[step.channel] ?? 'red', step.age)
    if (step.do === 'merge') return this.merge(this.nameOf(step.cause), this.nameOf(step.into))
    if (step.do === 'split') return this.split(this.nameOf(step.cause), channels[step.channel] ?? 'red')
    if (step.do === 'undo') return this.undo(step.which)
    const letters = [...this.letters.keys()].slice(step.which, step.which + 1)
    if (step.do === 'discard') await this.vault.write('discardLetters', { letters, now: noon })
    const { letters: gone } =
      step.do === 'purge' ? await this.vault.write('purgeLetters', { letters, rememberUntil: noon * 2 }) : { letters: 0 }
    if (gone > 0) for (const each of letters) this.letters.delete(each)
  }

  nameOf(place: number): string {
    return this.names[place % Math.max(this.names.length, 1)] ?? ''
  }

  async come(error: string, channel: string, age: number): Promise<void> {
    const letter = deadLetter({ n: this.n++, error: `it is ${error}`, service: channel, failedAt: noon - age * hour })
    const [id = 0] = await keep(this.vault, this.source, [letter])
    this.letters.set(id, { error, channel })
    if (!this.ids.has(error)) await this.learn(error, id)
  }

  async learn(name: string, letter: number): Promise<void> {
    const own = await this.vault.read('exportLetters', { ...asked(`id:${letter}`, noon), bodies: false })
    const causes = await this.vault.read('listCauses', { limit: 1000 })
    const fingerprint = own[0]?.cause.fingerprint
    const known = causes.find((cause) => cause.fingerprint === fingerprint)
    if (!known) throw new Error('A new cause is not listed.')
    this.name(name, known.id)
  }

  name(name: string, id: number): void {
    this.names.push(name)
    this.ids.set(name, id)
  }

  id(name: string): number {
    return this.ids.get(name) ?? 0
  }

  async merge(cause: string, into: string): Promise<void> {
    const target = this.model.endOf(into)
    const isAllowed = cause !== '' && this.model.endOf(cause) === cause && target !== cause
    const merged = await refusal(this.vault.write('mergeCauses', { into: this.id(into), causes: [this.id(cause)], ...said }))
    expect(merged === undefined, `merge ${cause} into ${into}`).toBe(isAllowed)
    if (isAllowed) this.model.said.push({ kind: 'merge', cause, target, isUndone: false })
  }

  async split(cause: string, channel: string): Promise<void> {
    const isUndone = this.model.said.some((each) => each.kind === 'split' && each.target === cause && each.isUndone)
    const isSecond = this.model.said.some(
      (each) => each.kind === 'split' && !each.isUndone && each.cause === cause && each.channel === channel,
    )
    let made = 0
    const refused = await refusal(
      this.vault.write('splitCause', { cause: this.id(cause), rule: `service:${channel}`, ...said }).then((part) => {
        made = part.cause
      }),
    )
    expect(refused === undefined, `split ${cause} by ${channel}`).toBe(cause !== '' && !isUndone && !isSecond)
    if (refused !== undefined) return
    const target = `${cause}/${this.model.said.length}`
    this.name(target, made)
    this.model.said.push({ kind: 'split', cause, target, channel, isUndone: false })
    await settle(this.vault)
  }

  async undo(place: number): Promise<void> {
    const { said: all } = this.model
    const decision = all[place % Math.max(all.length, 1)]
    if (!decision) return
    const later = all.some((each) => each !== decision && !each.isUndone && [each.cause, each.target].includes(decision.target))
    const isAllowed = !decision.isUndone && (decision.kind === 'merge' || !later)
    const refused = await refusal(this.vault.write('undoDecision', { decision: all.indexOf(decision) + 1, ...said }))
    expect(refused === undefined, `undo ${all.indexOf(decision) + 1}`).toBe(isAllowed)
    if (isAllowed) decision.isUndone = true
    await settle(this.vault)
  }

  /** Every letter stands where the model says, and every number is that of the letters. */
  async check(): Promise<void> {
    const found = await counted(this.vault)
    const places = new Map([...found].flatMap(([cause, { letters }]) => letters.map(({ id }) => [id, cause] as const)))
    for (const [letter, { error, channel }] of this.letters) {
      expect(places.get(letter), `letter ${letter}`).toBe(this.id(this.model.shownOf(error, channel)))
    }
    let total = 0
    for (const cause of await allCauses(this.vault)) {
      const own = found.get(cause.id)
      total += cause.total
      expect(cause.unresolved, `unresolved of ${cause.id}`).toBe(own?.unresolved ?? 0)
      expect(cause.total, `total of ${cause.id}`).toBeGreaterThanOrEqual(own?.letters.length ?? 0)
      const history = await this.vault.read('causeHistory', { id: cause.id, since: 0 })
      expect(
        history.reduce((sum, { letters }) => sum + letters, 0),
        `hours of ${cause.id}`,
      ).toBe(cause.total)
      const isWhole = own !== undefined && own.letters.length === cause.total
      if (!isWhole) continue
      const times = own.letters.map(({ failedAt }) => failedAt)
      expect([cause.firstAt, cause.lastAt], `times of ${cause.id}`).toEqual([Math.min(...times), Math.max(...times)])
      const under = await this.vault.read('findLetters', asked(`under:${cause.id}`, noon))
      expect(under.map(({ id }) => id).toSorted(), `under ${cause.id}`).toEqual(own.letters.map(({ id }) => id).toSorted())
    }
    expect(total, 'all letters that ever came').toBe(this.n)
  }
}

async function refusal(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    const { code = 'none' } = error as { code?: string }
    if (code !== 'conflict' && code !== 'not-found') throw error
    return code
  }
}

async function play(steps: readonly Step[], meddle?: (vault: MemoryVault) => Promise<void>): Promise<void> {
  const vault = memoryVault()
  try {
    const game = new Game(vault, await sourceIn(vault))
    for (const each of steps) await game.play(each)
    await meddle?.(vault)
    await game.check()
  } finally {
    await vault.close()
  }
}

test('letters stand where all that is said puts them, and all numbers are theirs, whatever is merged, split and undone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => play(steps)),
    runs(150, 15),
  )
})

describe('planted bug', () => {
  const story: readonly Step[] = [
    ...[0, 1, 2].flatMap((error) => [0, 1, 2].map((channel): Step => ({ do: 'come', error, channel, age: error + channel }))),
    { do: 'merge', cause: 1, into: 0 },
    { do: 'split', cause: 0, channel: 1 },
    { do: 'come', error: 0, channel: 1, age: 0 },
    { do: 'come', error: 1, channel: 1, age: 0 },
  ]

  test('the story holds without it', () => play(story))

  test.each([
    ['a merge that forgets whom it concerns', 'UPDATE causes SET shown = NULL'],
    ['a split that moves a letter and not its number', 'UPDATE letters SET cause = 1 WHERE cause = 4'],
    ['a number that is counted twice', 'UPDATE causes SET total = total + 1 WHERE id = 1'],
    ['an hour that stays behind', 'UPDATE cause_hours SET letters = letters + 1 WHERE cause = 1'],
    ['a first time that is not narrowed', 'UPDATE causes SET first_at = first_at - 1'],
  ])('%s is seen', async (_, statement) => {
    const meddle = (vault: MemoryVault) => vault.perform(async (sql) => void (await sql.run(statement)))
    await expect(play(story, meddle)).rejects.toThrow(/expected/)
  })
})

async function filled(vault: Vault, messages: readonly Parameters<typeof deadLetter>[0][]): Promise<readonly number[]> {
  return keep(vault, await sourceIn(vault), messages.map(deadLetter))
}

async function byError(vault: Vault): Promise<Record<string, number>> {
  const causes = await allCauses(vault)
  return Object.fromEntries(causes.map(({ title, id }) => [/it is (\w)/.exec(title)?.[1] ?? title, id]))
}

describe('merged causes', () => {
  test('are judged as one: a letter of the other one is a regression of this one, unless its version is older than the fix', async () => {
    const vault = memoryVault()
    await filled(vault, [
      { n: 1, error: 'it is A' },
      { n: 2, error: 'it is B' },
    ])
    const { A = 0, B = 0 } = await byError(vault)
    await vault.write('mergeCauses', { into: A, causes: [B], ...said })
    await vault.write('judgeCause', { id: A, state: 'resolved', fixedIn: '1.4.0', now: noon })
    await filled(vault, [{ n: 3, error: 'it is B', version: '1.3.9' }])
    expect(await vault.read('showCause', { id: A })).toMatchObject({ state: 'resolved', total: 3 })
    await filled(vault, [{ n: 4, error: 'it is B', version: '1.4.0' }])
    expect(await vault.read('showCause', { id: A })).toMatchObject({ state: 'open', regressedAt: noon, lastVersion: '1.4.0' })
    expect(await vault.read('showCause', { id: B })).toMatchObject({ state: 'open', regressedAt: null, mergedInto: A, total: 3 })
    await expect(vault.write('judgeCause', { id: B, state: 'archived', now: noon })).rejects.toMatchObject({ code: 'conflict' })
  })

  test('are archived until they are worse than all of them were: what is put together is not', async () => {
    const vault = memoryVault()
    await filled(vault, [
      { n: 1, error: 'it is A' },
      { n: 2, error: 'it is B' },
      { n: 3, error: 'it is B' },
    ])
    const { A = 0, B = 0 } = await byError(vault)
    await vault.write('judgeCause', { id: A, state: 'archived', now: noon })
    await vault.write('mergeCauses', { into: A, causes: [B], ...said })
    await vault.write('discardLetters', { letters: [1], now: noon })
    await filled(vault, [{ n: 4, error: 'it is B' }])
    expect(await vault.read('showCause', { id: A })).toMatchObject({ state: 'archived', unresolved: 3 })
    await filled(vault, [{ n: 5, error: 'it is A' }])
    expect(await vault.read('showCause', { id: A })).toMatchObject({ state: 'open', unresolved: 4 })
  })

  test('keep their notes, states and owners, which are theirs again after it is undone', async () => {
    const vault = memoryVault()
    await filled(vault, [
      { n: 1, error: 'it is A' },
      { n: 2, error: 'it is B' },
    ])
    const { A = 0, B = 0 } = await byError(vault)
    await vault.write('ownCause', { id: B, owner: 'bo' })
    await vault.write('judgeCause', { id: B, state: 'acknowledged', now: noon })
    await vault.write('addNote', { about: 'cause', subject: B, now: noon, actor: 'bo', text: 'seen before' })
    await vault.write('mergeCauses', { into: A, causes: [B], ...said })
    expect(await vault.read('causeNotes', { cause: A })).toMatchObject([{ text: 'seen before', cause: B }])
    expect(await vault.read('showCause', { id: A })).toMatchObject({ owner: null, state: 'open', total: 2 })
    expect(await vault.read('findLetters', asked('owner:bo', noon))).toEqual([])
    await vault.write('undoDecision', { decision: 1, ...said })
    expect(await vault.read('causeNotes', { cause: A })).toEqual([])
    expect(await vault.read('showCause', { id: B })).toMatchObject({
      owner: 'bo',
      state: 'acknowledged',
      total: 1,
      mergedInto: null,
    })
  })

  test('of a chain stand under its end, and go back to where they were when the middle is undone', async () => {
    const vault = memoryVault()
    await filled(
      vault,
      ['A', 'B', 'C'].map((name, n) => ({ n, error: `it is ${name}` })),
    )
    const { A = 0, B = 0, C = 0 } = await byError(vault)
    await vault.write('mergeCauses', { into: B, causes: [C], ...said })
    await vault.write('mergeCauses', { into: A, causes: [B], ...said })
    expect(await vault.read('showCause', { id: A })).toMatchObject({ total: 3 })
    await expect(vault.write('mergeCauses', { into: C, causes: [A], ...said })).rejects.toMatchObject({ code: 'conflict' })
    await vault.write('undoDecision', { decision: 2, ...said })
    expect((await allCauses(vault)).map(({ id, total }) => [id, total]).toSorted()).toEqual(
      [
        [A, 1],
        [B, 2],
      ].toSorted(),
    )
    await expect(vault.write('undoDecision', { decision: 2, ...said })).rejects.toMatchObject({ code: 'conflict' })
  })

  test('are found by the fingerprint that a letter came with, and by the one that it stands under; and leave with their own', async () => {
    const vault = memoryVault()
    await filled(vault, [
      { n: 1, error: 'it is A' },
      { n: 2, error: 'it is B' },
    ])
    const { A = 0, B = 0 } = await byError(vault)
    await vault.write('mergeCauses', { into: A, causes: [B], ...said })
    const [a, b] = [await vault.read('showCause', { id: A }), await vault.read('showCause', { id: B })]
    const ids = async (filter: string) => (await vault.read('findLetters', asked(filter, noon))).map(({ id }) => id)
    expect(await ids(`cause:${a.fingerprint.slice(3)}`)).toEqual([2, 1])
    expect(await ids(`cause:${b.fingerprint.slice(3)}`)).toEqual([2])
    const [exported] = await vault.read('exportLetters', { ...asked('id:2', noon), bodies: false })
    expect(exported).toMatchObject({ letter: { cause: A }, cause: { fingerprint: b.fingerprint } })
  })

  test('alert as one: what comes is of the one that they stand under, and the other has nothing left to alert about', async () => {
    const vault = memoryVault()
    await filled(vault, [
      { n: 1, error: 'it is A' },
      { n: 2, error: 'it is B' },
    ])
    const { A = 0, B = 0 } = await byError(vault)
    const { upTo: after } = await vault.read('settledLetters', undefined)
    await vault.write('mergeCauses', { into: A, causes: [B], ...said })
    await filled(vault, [{ n: 3, error: 'it is B' }])
    expect(
      (await vault.read('newLetters', { after, upTo: (await vault.read('settledLetters', undefined)).upTo })).counts,
    ).toMatchObject([{ cause: A, letters: 1 }])
    const facts = await vault.read('causeFacts', { ids: [A, B], since: 0, until: 1e9 })
    expect(new Map(facts.map(({ id, unresolved }) => [id, unresolved]))).toEqual(
      new Map([
        [A, 3],
        [B, 0],
      ]),
    )
  })
})

describe('a split', () => {
  test('of very many letters is moved in steps, and whoever dies in between leaves nothing wrong', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    const many = lettersAtOnce * 2 + 100
    for (let start = 0; start < many; start += 500) {
      const some = Array.from({ length: Math.min(500, many - start) }, (_, index) => start + index)
      await keep(
        vault,
        source,
        some.map((n) => deadLetter({ n, error: 'it is A', service: n % 2 === 0 ? 'red' : 'green' })),
      )
    }
    const { decision, cause } = await vault.write('splitCause', { cause: 1, rule: 'service:red', ...said })
    const numbers = async () => (await allCauses(vault)).map(({ id, total, unresolved }) => [id, total, unresolved])
    expect((await vault.write('moveLetters', { decision })).isOver).toBe(false)
    expect((await numbers()).toSorted()).toEqual([
      [1, many - 1000, many - 1000],
      [cause, 1000, 1000],
    ])
    await expect(vault.write('splitCause', { cause: 1, rule: 'service:green', ...said })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await vault.read('unsettledDecisions', undefined)).toEqual([decision])
    // What comes meanwhile is judged at once, and counted once.
    await keep(vault, source, [deadLetter({ n: many, error: 'it is A', service: 'red' })])
    await settle(vault)
    expect((await numbers()).toSorted()).toEqual([
      [1, many / 2, many / 2],
      [cause, many / 2 + 1, many / 2 + 1],
    ])
    await vault.write('undoDecision', { decision, ...said })
    expect(await numbers()).toEqual([[1, many + 1, many + 1]])
    await settle(vault)
    expect(await numbers()).toEqual([[1, many + 1, many + 1]])
    expect(await vault.read('unsettledDecisions', undefined)).toEqual([])
  }, 120_000)

  test('that a control plane left half done is finished by the next one that works', async () => {
    const vault = memoryVault()
    await filled(vault, [{ n: 1, service: 'red' }, { n: 2 }])
    const { cause, decision } = await vault.write('splitCause', { cause: 1, rule: 'service:red', ...said })
    const clock = virtualClock({ start: noon })
    const plane = createControlPlane({
      ...{ vault, clock, newId: () => 'x', draw: (bytes: number) => new Uint8Array(bytes) },
      ...{ sources: [], transportNamed: () => undefined },
    })
    const settled = new Promise<void>((resolve) => {
      plane.onChange((change) => change.kind === 'cause' && change.cause === cause && resolve())
    })
    await plane.start()
    await settled
    expect(await vault.read('showDecision', { id: decision })).toMatchObject({ isMoving: false })
    expect(await vault.read('showCause', { id: cause })).toMatchObject({ total: 1 })
    await plane.close()
  })

  test('may go by a header, by words and by what is not there; two rules are asked in the order in which they were made', async () => {
    const vault = memoryVault()
    const acme = { headers: [['tenant', 'acme']] as const }
    await filled(vault, [{ n: 1, ...acme, service: 'red' }, { n: 2, ...acme }, { n: 3, service: 'red' }, { n: 4 }])
    const one = await vault.write('splitCause', { cause: 1, rule: 'header.tenant:acme', ...said })
    await settle(vault)
    const other = await vault.write('splitCause', { cause: 1, rule: 'declined service:*', ...said })
    await settle(vault)
    const places = async () => (await vault.read('findLetters', asked('', noon))).map(({ id, cause }) => [id, cause]).toReversed()
    expect(await places()).toEqual([
      [1, one.cause],
      [2, one.cause],
      [3, other.cause],
      [4, 1],
    ])
    await vault.write('undoDecision', { decision: one.decision, ...said })
    await settle(vault)
    expect(await places()).toEqual([
      [1, other.cause],
      [2, 1],
      [3, other.cause],
      [4, 1],
    ])
    await filled(vault, [
      { n: 5, ...acme },
      { n: 6, ...acme, service: 'red' },
    ])
    expect((await places()).slice(4)).toEqual([
      [5, 1],
      [6, other.cause],
    ])
  })

  test.each(['state:open', 'id:1', 'age>1h', 'cause:3f', 'owner:ana', 'body:declined', 'attempts>3', ''])(
    'by %j is refused: a letter would not be judged alike ever after',
    async (rule) => {
      const vault = memoryVault()
      await filled(vault, [{ n: 1 }])
      await expect(vault.write('splitCause', { cause: 1, rule, ...said })).rejects.toMatchObject({ code: 'bad-option' })
    },
  )
})
