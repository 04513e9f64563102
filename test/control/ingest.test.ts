import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/core/message.ts'
import { sealInSteps, takeInSteps } from '../../src/ops/replay/in-steps.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { arrival, deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'

const foreign = (n: number): Message => ({ body: Buffer.from(`{"order":${n}}`), headers: [['x-first-death-reason', 'rejected']] })

async function total(vault: Vault): Promise<number> {
  return (await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 1000 })).length
}

/** As far as the broker, and what it said. */
async function replayed(vault: Vault, letters: readonly number[], outcome: 'sent' | 'unknown'): Promise<number> {
  const planned = letters.map((letter) => ({ letter, destination: { connection: 'shop', channel: 'orders' } }))
  const plan = { rate: 1, canary: null, observe: 1 }
  const steps = { vault, clock: virtualClock({ start: noon }) }
  const replay = await sealInSteps(steps, { name: 'x', actor: 'ana', plan }, [planned])
  await vault.write('beginStart', { replay, now: noon })
  await takeInSteps(steps, replay)
  const turn = { replay, now: noon, outcomes: [], most: letters.length, name: 'x' }
  const { claimed } = await vault.write('advanceReplay', turn)
  const outcomes = claimed.map(({ seq, letter }) => ({ seq, letter, outcome }))
  await vault.write('advanceReplay', { ...turn, outcomes, most: 0 })
  return replay
}

describe('one letter per dead letter', () => {
  test('a letter of ours is one letter, however often a crash made us write it', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    const [first] = await keep(vault, source, [deadLetter({ n: 1 })])
    const [again, other] = await keep(vault, source, [deadLetter({ n: 1 }), deadLetter({ n: 2 })])
    expect(again).toBe(first)
    expect(other).not.toBe(first)
    expect(await vault.read('listSources', undefined)).toMatchObject([{ deliveries: 3, deduplicated: 1, inserted: 2 }])
  })

  test('the next generation of it is another letter', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    await keep(vault, source, [deadLetter({ n: 1 }), deadLetter({ n: 1, generation: 1 })])
    expect(await total(vault)).toBe(2)
  })

  test('a foreign letter is known by where it lies', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    const at = (position: string) => arrival(foreign(1), { position })
    await vault.write('ingest', { source, now: noon, arrivals: [at('dlq/0/1'), at('dlq/0/2'), at('dlq/0/1')] })
    expect(await total(vault)).toBe(2)
  })

  test('two that are alike on a broker without positions are two', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    await keep(vault, source, [foreign(1), foreign(1)])
    expect(await total(vault)).toBe(2)
  })

  test('one that was delivered before matches one that is being completed, once each', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    const kept = await keep(vault, source, [foreign(1), foreign(1), foreign(2)])
    const again = () => arrival(foreign(1), { deliveredBefore: true })
    const { letters } = await vault.write('ingest', { source, now: noon, arrivals: [again(), again(), again()] })
    expect(letters.map(({ duplicate }) => duplicate)).toEqual([true, true, false])
    expect(letters.slice(0, 2).map(({ id }) => id)).toEqual(kept.slice(0, 2))
  })

  test('one that was delivered before is a new letter once the broker has accepted that the other was completed', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    const letters = await keep(vault, source, [foreign(1)])
    await vault.write('lettersCompleted', { letters })
    const again = arrival(foreign(1), { deliveredBefore: true })
    const ingested = await vault.write('ingest', { source, now: noon, arrivals: [again] })
    expect(ingested.letters).toMatchObject([{ duplicate: false }])
  })

  test('what a collector had matched when it died can be matched again by the next', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    const kept = await keep(vault, source, [foreign(1)])
    const again = () => arrival(foreign(1), { deliveredBefore: true })
    await vault.write('ingest', { source, now: noon, arrivals: [again()] })
    await vault.write('collectionBegins', { source })
    const { letters } = await vault.write('ingest', { source, now: noon, arrivals: [again()] })
    expect(letters).toEqual([{ id: kept[0], duplicate: true }])
  })

  test('the same dead letter in two sources is two', async () => {
    const vault = memoryVault()
    await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })])
    await keep(vault, await sourceIn(vault, 'dlq.copy'), [deadLetter({ n: 1 })])
    expect(await total(vault)).toBe(2)
  })

  test('a purged letter is known by its tombstone until that is forgotten', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    const letters = await keep(vault, source, [deadLetter({ n: 1 })])
    expect(await vault.write('purgeLetters', { letters, rememberUntil: noon + 1000 })).toEqual({ letters: 1 })
    await keep(vault, source, [deadLetter({ n: 1 })])
    expect(await total(vault)).toBe(0)
    await vault.write('forgetOld', { before: { tombstones: noon + 1000 }, limit: 10 })
    await keep(vault, source, [deadLetter({ n: 1 })])
    expect(await total(vault)).toBe(1)
  })
})

describe('causes', () => {
  test('count their letters, and know when the first and the last of them failed, in whatever order they come', async () => {
    const vault = memoryVault()
    const at = [3, 1, 2].map((hour) => noon - hour * 3_600_000)
    await keep(
      vault,
      await sourceIn(vault),
      at.map((failedAt, n) => deadLetter({ n, failedAt })),
    )
    const [cause] = await vault.read('listCauses', { limit: 10 })
    expect(cause).toMatchObject({ total: 3, unresolved: 3, firstAt: Math.min(...at), lastAt: Math.max(...at) })
    expect(await vault.read('causeHistory', { id: cause?.id ?? 0, since: 0 })).toHaveLength(3)
  })

  test.each([
    ['the version that has the fix', '1.4.0', 'open'],
    ['a later one', '1.10.0', 'open'],
    ['an older consumer', '1.3.9', 'resolved'],
    ['a consumer that says no version', undefined, 'open'],
  ])('resolved as fixed in 1.4.0: a letter of %s', async (_, version, state) => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    await keep(vault, source, [deadLetter({ n: 1, version: '1.3.0' })])
    const [cause] = await vault.read('listCauses', { limit: 1 })
    await vault.write('judgeCause', { id: cause?.id ?? 0, state: 'resolved', fixedIn: '1.4.0', now: noon })
    const arrivals = [arrival(deadLetter({ n: 2, ...(version !== undefined && { version }) }))]
    const { reopenedCauses } = await vault.write('ingest', { source, now: noon + 1, arrivals })
    expect(reopenedCauses).toEqual(state === 'open' ? [cause?.id] : [])
    expect(await vault.read('showCause', { id: cause?.id ?? 0 })).toMatchObject({ state })
  })

  test('archived until worse: opened again by the first letter beyond what there was', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    const letters = await keep(vault, source, [deadLetter({ n: 1 }), deadLetter({ n: 2 })])
    const [cause] = await vault.read('listCauses', { limit: 1 })
    await vault.write('judgeCause', { id: cause?.id ?? 0, state: 'archived', now: noon })
    await vault.write('discardLetters', { letters: letters.slice(0, 1), now: noon })
    await keep(vault, source, [deadLetter({ n: 3 })])
    expect(await vault.read('showCause', { id: cause?.id ?? 0 })).toMatchObject({ state: 'archived', unresolved: 2 })
    await keep(vault, source, [deadLetter({ n: 4 })])
    expect(await vault.read('showCause', { id: cause?.id ?? 0 })).toMatchObject({ state: 'open', unresolved: 3 })
  })
})

test('an archived cause is not opened again by a letter that was sent back and merely returns', async () => {
  const vault = memoryVault()
  const source = await sourceIn(vault)
  const letters = await keep(vault, source, [deadLetter({ n: 1 }), deadLetter({ n: 2 })])
  const [cause] = await vault.read('listCauses', { limit: 1 })
  const id = cause?.id ?? 0
  await vault.write('judgeCause', { id, state: 'archived', now: noon })
  const replay = await replayed(vault, letters, 'sent')
  await keep(vault, source, [deadLetter({ n: 1, replay, generation: 1 }), deadLetter({ n: 2, replay, generation: 1 })])
  expect(await vault.read('showCause', { id })).toMatchObject({ state: 'archived', total: 4, unresolved: 2 })
  await keep(vault, source, [deadLetter({ n: 3 })])
  expect(await vault.read('showCause', { id })).toMatchObject({ state: 'open', unresolved: 3 })
})

test('a letter that somebody sent twice and that died twice is one letter, which came back from both replays', async () => {
  const vault = memoryVault()
  const source = await sourceIn(vault)
  const letters = await keep(vault, source, [deadLetter({ n: 1 })])
  const first = await replayed(vault, letters, 'unknown')
  await vault.write('decideUnknown', { letters, verdict: 'open', now: noon })
  const second = await replayed(vault, letters, 'sent')
  const [successor] = await keep(vault, source, [deadLetter({ n: 1, replay: first, generation: 1 })])
  const [again] = await keep(vault, source, [deadLetter({ n: 1, replay: second, generation: 1 })])
  expect(again).toBe(successor)
  for (const replay of [first, second]) {
    expect(await vault.read('readLedger', { replay, after: -1, limit: 10 })).toMatchObject([{ state: 'returned' }])
  }
})

test('nothing of the payload stands in what lists and searches show', async () => {
  const vault = memoryVault()
  const secret = 'patient-John-Doe-4711'
  const source = await sourceIn(vault)
  const message = deadLetter({ n: 1, error: `cannot book ${secret}`, body: JSON.stringify({ patient: secret }) })
  const [id = 0] = await keep(vault, source, [message])
  const shown = [
    await vault.read('showLetter', { id }),
    await vault.read('listCauses', { limit: 1 }),
    await vault.read('traceCorrelation', { correlationId: 'none', limit: 10 }),
  ]
  expect(JSON.stringify(shown)).not.toContain(secret)
})
