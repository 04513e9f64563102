import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { letterStates } from '../../src/core/letter-states.ts'
import { checkConservation } from '../../src/ops/conservation.ts'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { lettersIn } from '../../src/ops/letters.ts'
import { releaseInSteps, sealInSteps, takeInSteps } from '../../src/ops/replay/in-steps.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { unresolvedStates } from '../../src/vault/letter-states.ts'
import type { Letter } from '../../src/vault/operations/letters.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, openVault, sourceIn, temporaryFolder } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { meddle, runs } from './vaults-under-test.ts'

type Step =
  | { readonly do: 'ingest'; readonly from: number; readonly count: number }
  | {
      readonly do: 'discard' | 'restore' | 'purge' | 'erase' | 'replay' | 'cancel' | 'assume' | 'return'
      readonly letter: number
    }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('ingest' as const), from: fc.nat(30), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({
    do: fc.constantFrom('discard', 'restore', 'purge', 'erase', 'replay', 'cancel', 'assume', 'return'),
    letter: fc.integer({ min: 1, max: 10 }),
  }),
)

const plan = { rate: 1000, canary: null, observe: 1000 }
const destination = { connection: 'shop', channel: 'orders' }

async function play(vault: Vault, source: number, { do: verb, ...given }: Step): Promise<void> {
  if ('from' in given) {
    const numbers = Array.from({ length: given.count }, (_, n) => given.from + n)
    await keep(
      vault,
      source,
      numbers.map((n) => deadLetter({ n, type: n % 2 === 0 ? 'Error' : 'TypeError' })),
    )
    return
  }
  const letters = [given.letter]
  if (verb === 'discard') await vault.write('discardLetters', { letters, now: noon })
  if (verb === 'restore') await vault.write('restoreLetters', { letters, now: noon })
  if (verb === 'purge') await vault.write('purgeLetters', { letters, rememberUntil: noon * 2 })
  if (verb === 'erase') await vault.write('eraseLetter', { id: given.letter, now: noon })
  if (verb === 'replay') await replay(vault, given.letter)
  if (verb === 'cancel') await cancel(vault, given.letter)
  if (verb === 'assume')
    await vault.write('assumeSuccess', { replay: given.letter, destination, sentBefore: noon, now: noon, most: 10 })
  if (verb === 'return') await vault.write('doubtClaims', { replay: given.letter, now: noon })
}

const steps = (vault: Vault) => ({ vault, clock: virtualClock({ start: noon }) })

async function cancel(vault: Vault, id: number): Promise<void> {
  await vault.write('beginCancel', { replay: id, now: noon })
  await releaseInSteps(steps(vault), id)
}

async function replay(vault: Vault, letter: number): Promise<void> {
  const id = await sealInSteps(steps(vault), { name: 'x', actor: 'ana', plan }, [[{ letter, destination }]])
  await vault.write('beginStart', { replay: id, now: noon })
  await takeInSteps(steps(vault), id)
  const turn = { replay: id, now: noon, outcomes: [], most: 1, name: `name-${id}` }
  const { claimed } = await vault.write('advanceReplay', turn)
  const outcomes = claimed.map(({ seq, letter: sent }) => ({ seq, letter: sent, outcome: 'sent' as const }))
  if (letter % 3 > 0) await vault.write('advanceReplay', { ...turn, outcomes, most: 0 })
}

test('deliveries that were not known = letters kept = the sum over all states, whatever is done to them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const vault = memoryVault()
      const source = await sourceIn(vault)
      for (const each of steps) await play(vault, source, each).catch(onlyRefusals)
      const [counted] = await vault.read('listSources', undefined)
      const states: Record<string, number> = { ...counted?.letters }
      expect(counted?.inserted).toBe((counted?.deliveries ?? 0) - (counted?.deduplicated ?? 0))
      expect(Object.values(states).reduce((sum, letters) => sum + letters, 0)).toBe(counted?.inserted)
      const letters = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 1000 })
      for (const state of letterStates) {
        expect(states[state] ?? 0, state).toBe(letters.filter((letter) => letter.state === state).length)
      }
      for (const cause of await vault.read('listCauses', { limit: 100 })) {
        const own = letters.filter((letter) => letter.cause === cause.id && unresolvedStates.has(letter.state))
        expect(cause.unresolved, cause.title).toBe(own.length)
      }
      await ledgersAgree(vault)
      await nobodyIsStuck(vault, letters)
      expect(await checkConservation(vault, virtualClock({ start: noon }))).toMatchObject({ at: noon, holds: true })
      await vault.close()
    }),
    runs(200, 40),
  )
})

/** What is counted beside a ledger is what stands in it. */
async function ledgersAgree(vault: Vault): Promise<void> {
  for (const { id } of await vault.read('listReplays', { limit: 100 })) {
    const lines = await vault.read('readLedger', { replay: id, after: -1, limit: 1000 })
    for (const [state, letters] of Object.entries(await vault.read('countLedger', { replay: id }))) {
      expect(letters, `${state} of replay ${id}`).toBe(lines.filter((line) => line.state === state).length)
    }
  }
}

/** A letter that a replay has is one that it will come to, or has sent: nobody else can do anything with it. */
async function nobodyIsStuck(vault: Vault, letters: readonly Letter[]): Promise<void> {
  const awaited = new Set<number>()
  for (const { id } of await vault.read('listReplays', { limit: 100 })) {
    const lines = await vault.read('readLedger', { replay: id, after: -1, limit: 1000 })
    for (const { letter, state } of lines) if (state === 'planned' || state === 'claimed') awaited.add(letter)
  }
  const taken = letters.filter(({ state }) => state === 'replaying').map(({ id }) => id)
  expect(taken.filter((id) => !awaited.has(id))).toEqual([])
}

test('an erased letter that a replay comes to is counted as discarded', async () => {
  const vault = memoryVault()
  const source = await sourceIn(vault)
  const [first = 0] = await keep(vault, source, [deadLetter({ n: 1 })])
  for (const verb of ['erase', 'restore', 'replay'] as const) await play(vault, source, { do: verb, letter: first })
  const letters = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 10 })
  expect(letters.map(({ state }) => state)).toEqual(['discarded'])
  expect(await vault.read('listCauses', { limit: 10 })).toMatchObject([{ unresolved: 0 }])
  const [counted] = await vault.read('listSources', undefined)
  expect(counted?.letters).toMatchObject({ open: 0, replaying: 0, discarded: 1 })
  expect(await checkConservation(vault, virtualClock({ start: noon }))).toMatchObject({ holds: true })
  await ledgersAgree(vault)
  await vault.close()
})

function onlyRefusals(error: unknown): void {
  const code = (error as { code?: string }).code ?? ''
  if (!['not-found', 'conflict', 'nothing-to-do'].includes(code)) throw error
}

test('letters that were imported are accounted for too', async () => {
  const [one, other] = [memoryVault(), memoryVault()]
  const clock = virtualClock({ start: noon })
  await keep(one, await sourceIn(one), [deadLetter({ n: 1 }), deadLetter({ n: 2 })])
  const { letters } = await lettersIn(one, clock, () => {}).export({ limit: 10, bodies: true })
  for (let times = 0; times < 2; times++) await lettersIn(other, clock, () => {}).import(letters, { actor: 'ana' })
  expect(await checkConservation(other, clock)).toMatchObject({
    holds: true,
    sources: [{ inserted: 2, rows: 2, differences: [] }],
  })
})

test.each([
  ['a letter that vanished', 'DELETE FROM letters WHERE id = 2', ['rows']],
  ['a letter that was kept and not counted', "UPDATE tallies SET letters = letters - 1 WHERE state = 'open'", ['states', 'rows']],
  ['a delivery of which nothing became', 'UPDATE sources SET deliveries = deliveries + 1', ['deliveries']],
  ['a duplicate that was none', 'UPDATE sources SET deduplicated = deduplicated + 1', ['deliveries']],
])('planted bug: %s is seen by itself, and told once', { timeout: 120_000 }, async (_, sql, differences) => {
  const file = join(temporaryFolder(), 'vault.db')
  const vault = openVault(file)
  const clock = virtualClock({ start: noon })
  const plane = createControlPlane({
    ...{ vault, clock, newId: () => 'x', draw: (bytes: number) => new Uint8Array(bytes) },
    ...{ sources: [], transportNamed: () => undefined },
  })
  const told: unknown[] = []
  plane.onChange((change) => void told.push(change))
  try {
    await keep(
      vault,
      await sourceIn(vault),
      [1, 2, 3].map((n) => deadLetter({ n })),
    )
    await plane.start()
    expect(await plane.conservation()).toMatchObject({ holds: true })
    await meddle(file, sql)
    const anotherMinute = async (): Promise<void> => {
      await clock.advance(60_000)
      await plane.conservation()
    }
    while (told.length === 0) await anotherMinute()
    for (let minutes = 0; minutes < 3; minutes++) await anotherMinute()
    expect(await plane.conservation()).toMatchObject({ holds: false, sources: [{ differences }] })
  } finally {
    await plane.close()
    await vault.close()
  }
  expect(told).toEqual([{ kind: 'conservation', holds: false }])
})
