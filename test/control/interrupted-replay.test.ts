import { expect, onTestFinished, test } from 'vitest'
import type { AlertEngine } from '../../src/ops/alerts/alert-engine.ts'
import { sampleReplays } from '../../src/ops/alerts/regular-samplers.ts'
import { checkConservation } from '../../src/ops/conservation.ts'
import { sealInSteps, takeInSteps } from '../../src/ops/replay/in-steps.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import type { LedgerLine } from '../../src/vault/operations/replays.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'

const orders = { connection: 'shop', channel: 'orders' }
const refunds = { connection: 'shop', channel: 'refunds' }
const plan = { rate: 1000, canary: null, observe: 1000 }
const clock = virtualClock({ start: noon })

/** A letter for each key, in the order of the plan; one with a `!` goes somewhere else. */
async function running(vault: Vault, keys: readonly string[]): Promise<number> {
  const letters = keys.map((key, n) => deadLetter({ n, ...(key !== '' && { key: key.replace('!', '') }) }))
  const ids = await keep(vault, await sourceIn(vault), letters)
  const lines = ids.map((letter, n) => ({ letter, destination: keys[n]?.endsWith('!') ? refunds : orders }))
  const replay = await sealInSteps({ vault, clock }, { name: 'x', actor: 'ana', plan }, [lines])
  await vault.write('beginStart', { replay, now: noon })
  await takeInSteps({ vault, clock }, replay)
  return replay
}

/** Tells which places of the plan are to be sent next. */
async function claim(vault: Vault, replay: number, most: number): Promise<readonly number[]> {
  const { claimed } = await vault.write('advanceReplay', { replay, now: noon, outcomes: [], most, name: `claim of ${most}` })
  return claimed.map(({ seq }) => seq)
}

async function ledger(vault: Vault, replay: number): Promise<readonly LedgerLine[]> {
  return vault.read('readLedger', { replay, after: -1, limit: 100 })
}

/** A control plane claims the first letters and dies; the next one looks at what it left and claims the rest. */
async function interrupted(keys: readonly string[], claimed: number) {
  const vault = memoryVault()
  onTestFinished(() => vault.close())
  const replay = await running(vault, keys)
  await claim(vault, replay, claimed)
  const { doubted } = await vault.write('doubtClaims', { replay, now: noon })
  const sentNext = await claim(vault, replay, keys.length)
  return { vault, replay, doubted, sentNext, lines: await ledger(vault, replay) }
}

test('behind letters that a dead control plane had claimed, none of their keys is sent', async () => {
  const { vault, replay, doubted, sentNext, lines } = await interrupted(['k', 'k', 'other', 'k', 'third', 'k', 'other'], 3)
  expect(doubted).toBe(3)
  expect(sentNext).toEqual([4])
  expect(lines.map(({ state, problem }) => [state, problem])).toEqual([
    ['unknown', 'interrupted'],
    ['unknown', 'interrupted'],
    ['unknown', 'interrupted'],
    ['refused', 'behind-unsent'],
    ['claimed', null],
    ['refused', 'behind-unsent'],
    ['refused', 'behind-unsent'],
  ])
  expect(await vault.read('countLedger', { replay })).toMatchObject({ planned: 0, claimed: 1, unknown: 3, refused: 3 })
})

test('those behind them are open again, and everything is counted where it is', async () => {
  const { vault } = await interrupted(['k', 'k', 'k', 'other'], 2)
  const letters = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 10 })
  expect(letters.toReversed().map(({ state }) => state)).toEqual(['unknown', 'unknown', 'open', 'replaying'])
  const [counted] = await vault.read('listSources', undefined)
  expect(counted?.letters).toMatchObject({ unknown: 2, open: 1, replaying: 1 })
  expect(await vault.read('listCauses', { limit: 10 })).toMatchObject([{ unresolved: 4 }])
  expect(await checkConservation(vault, clock)).toMatchObject({ holds: true })
})

test('letters without a key, and those of the key that go somewhere else, are sent all the same', async () => {
  const { sentNext } = await interrupted(['', 'k', '', 'k!', 'k'], 2)
  expect(sentNext).toEqual([2, 3])
})

test('where nothing was claimed, nothing is in doubt', async () => {
  const { doubted, sentNext } = await interrupted(['k', 'k'], 0)
  expect([doubted, sentNext]).toEqual([0, [0, 1]])
})

test('what another control plane found to be stuck stays so until it gets on, and nothing else counts as stuck at the start', async () => {
  const vault = memoryVault()
  onTestFinished(() => vault.close())
  const time = virtualClock({ start: noon })
  const replay = await running(vault, ['a', 'b'])
  const [seq = 0] = await claim(vault, replay, 1)
  const [{ letter }] = (await vault.read('readLedger', { replay, after: -1, limit: 1 })) as [LedgerLine]
  await time.advance(20 * 60_000)
  const raised = [{ type: 'replay.stuck', subject: { source: '', replay } }] as unknown as ReturnType<AlertEngine['open']>
  const stuckFor = async (open: typeof raised) =>
    (await sampleReplays(vault, time, { open: () => open })())[0]?.values?.replayStuckFor
  expect([await stuckFor(raised), await stuckFor([])]).toEqual([20 * 60_000, 0])
  const outcomes = [{ seq, letter, outcome: 'sent' as const }]
  await vault.write('advanceReplay', { replay, now: time.now() - 1000, outcomes, most: 0, name: 'one is sent' })
  expect(await stuckFor(raised)).toBe(1000)
})
