import { describe, expect, test } from 'vitest'
import type { ChannelReport, ConsumerReport } from '../../src/core/consumer-report.ts'
import { RedriveError } from '../../src/core/errors.ts'
import type { Scopes } from '../../src/core/scopes.ts'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import type { KeptReport } from '../../src/vault/operations/consumers.ts'
import type { SourceName } from '../../src/vault/operations/sources.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { describeAlone } from './planes-under-test.ts'
import { channelReport, report } from './reports.fixture.ts'
import { Order, openShop, type Shop, type ShopOptions } from './shop.fixture.ts'

const orders = 40
const minute = 60_000
const careful = { rate: 1000, canary: { first: 1, growth: 5, tolerated: 0 }, observe: 10_000 }
const rule = { name: 'outages', filter: 'state:open', replayOnRecovery: careful }

function down(): never {
  throw Object.assign(new Error('the bank does not answer'), { code: 'ETIMEDOUT' })
}

/** The bank is away: the first orders die, the breaker opens, and the others wait. */
async function inOutage(options: ShopOptions = {}): Promise<Shop> {
  const shop = await openShop({ breaker: true, isCut: () => false, triage: [rule], ...options })
  shop.handle = down
  for (let order = 0; order < orders; order++) {
    await shop.bench.producer.send(Order, { order, customer: `c-${order}` })
  }
  await shop.until(async () => (await stateOf(shop)) === 'outage')
  // Whatever a report may do by mistake, it has the time to.
  await shop.bench.clock.advance(minute)
  return shop
}

async function stateOf({ plane }: Shop): Promise<string | undefined> {
  return (await plane.consumers.list())[0]?.channels[0]?.state
}

interface Evidence {
  readonly replaysInOutage: number
  readonly replays: number
  /** Of the last one, when nothing has happened for a long time. */
  readonly state: string | undefined
  readonly unresolved: number
  /** How often each order was processed: at least, and at most. */
  readonly processed: readonly [number, number]
}

/** An outage from its beginning to long after its end. */
async function throughOutage(options: ShopOptions = {}): Promise<Evidence> {
  const shop = await inOutage(options)
  const { plane, bench } = shop
  const replaysInOutage = (await plane.replays.list({ limit: 10 })).length
  const processed = new Map<number, number>()
  shop.handle = (order) => void processed.set(order, (processed.get(order) ?? 0) + 1)
  await shop.until(async () => (await stateOf(shop)) === 'consuming')
  await bench.clock.advance(10 * minute)
  const replays = await plane.replays.list({ limit: 10 })
  const times = Array.from({ length: orders }, (_, order) => processed.get(order) ?? 0)
  return {
    replaysInOutage,
    replays: replays.length,
    state: replays[0]?.state,
    unresolved: (await plane.sources())[0]?.unresolved ?? Number.NaN,
    processed: [Math.min(...times), Math.max(...times)],
  }
}

/** A vault that keeps reports and draws another conclusion from them. */
function concluding(conclude: (kept: KeptReport, report: ConsumerReport) => KeptReport): (vault: Vault) => Vault {
  return (vault) => ({
    ...vault,
    write: (async (name: string, input: { report: ConsumerReport }) => {
      const answer = await vault.write(name as 'keepReport', input as never)
      return name === 'keepReport' ? conclude(answer, input.report) : answer
    }) as Vault['write'],
  })
}

const allIsWell: Evidence = { replaysInOutage: 0, replays: 1, state: 'done', unresolved: 0, processed: [1, 1] }

describe('a rule that waits for a channel to recover', () => {
  test('sends the letters of an outage back when the breaker closes, each once, and none before', async () => {
    expect(await throughOutage()).toEqual(allIsWell)
  })
})

describeAlone('a rule that waits for a channel to recover', () => {
  test('is seen to fail where a recovery is not noticed', async () => {
    const deaf = concluding((kept) => ({ ...kept, recovered: [] }))
    expect(await throughOutage({ vault: deaf })).toMatchObject({ replays: 0, processed: [0, 1] })
  })

  test('is seen to fail where every report of an outage is taken for its end', async () => {
    const rash = concluding((kept, { channels }) => ({
      ...kept,
      recovered: channels
        .filter(({ state }) => state === 'outage')
        .map((channel) => ({ id: 0, at: noon, channel, scopes: [['*']] })),
    }))
    expect((await throughOutage({ vault: rash })).replaysInOutage).toBeGreaterThan(0)
  })
})

/** Letters of two channels and of an earlier replay, a rule, and reports one after another: which letters are then in a replay. */
async function sentBackAfter(
  reports: readonly Partial<ConsumerReport>[],
  { scopes = [['*']], mostAlone, source }: { scopes?: Scopes; mostAlone?: number; source?: SourceName } = {},
): Promise<{ readonly letters: readonly number[]; readonly states: readonly string[] }> {
  const vault = memoryVault()
  const messages = [
    deadLetter({ n: 1 }),
    deadLetter({ n: 2 }),
    deadLetter({ n: 3, channel: 'invoices' }),
    deadLetter({ n: 4, generation: 1 }),
  ]
  await keep(vault, source ? (await vault.write('registerSource', source)).id : await sourceIn(vault), messages)
  const plane = createControlPlane({
    ...{ vault, clock: virtualClock({ start: noon }), triage: [rule], ...(mostAlone !== undefined && { mostAlone }) },
    ...{ newId: () => 'x', draw: (bytes: number) => new Uint8Array(bytes), sources: [], transportNamed: () => undefined },
  })
  for (const [index, changes] of reports.entries()) {
    await plane.consumers.report(report({ number: index + 1, ...changes }), scopes)
  }
  // Closing waits for what the rules were asked to do.
  await plane.close()
  const replays = await vault.read('listReplays', { limit: 10 })
  const lines = await Promise.all(replays.map(({ id }) => vault.read('readLedger', { replay: id, after: -1, limit: 10 })))
  const audit = await vault.read('listAudit', { limit: 10 })
  expect(new Set(audit.map(({ actor }) => actor))).toEqual(new Set(replays.length > 0 ? ['rule outages'] : []))
  await vault.close()
  return { letters: lines.flat().map(({ letter }) => letter), states: replays.map(({ state }) => state) }
}

const outage = { channels: [channelReport({ state: 'outage' })] }
const well = { channels: [channelReport()] }

describe('what a report means to a rule', () => {
  test('the end of an outage sends back the letters of that channel that were never sent back before', async () => {
    expect((await sentBackAfter([outage, well])).letters).toEqual([1, 2])
    expect((await sentBackAfter([outage, well, well, outage])).letters).toEqual([1, 2])
  })

  test.each<[string, readonly Partial<ConsumerReport>[]]>([
    ['a channel that did well all the time', [well, well]],
    ['a process that was started anew', [outage, { ...well, run: 'run-2' }]],
    ['a consumer that has stopped', [outage, { channels: [channelReport({ state: 'stopped' })], isLast: true }]],
    ['another channel', [outage, { channels: [channelReport({ state: 'outage' }), channelReport({ name: 'invoices' })] }]],
    ['a channel whose letters go elsewhere', [outage, well].map(({ channels }) => ({ channels: channels.map(elsewhere) }))],
    ['a report that was overtaken', [{ ...well, number: 3 }, outage, well]],
  ])('%s sends nothing back', async (_, reports) => {
    expect((await sentBackAfter(reports)).letters).toEqual([])
  })

  test('a consumer that was not given the channel sends nothing back', async () => {
    expect((await sentBackAfter([outage, well], { scopes: [['*'], ['shop/invoices']] })).letters).toEqual([])
    expect((await sentBackAfter([outage, well], { scopes: [['*'], ['shop/ord*']] })).letters).toEqual([1, 2])
  })

  test.each([
    ['a sub-queue that the consumer names by its path', 'orders', 'orders/$DeadLetterQueue', [1, 2]],
    ['no sub-queue of the queue that has the name of its dead letters', 'dlq.orders', 'dlq.orders', []],
  ])('letters are sent back out of %s', async (_, channel, path, letters) => {
    const reports = [outage, well].map(({ channels }) => ({ channels: channels.map((each) => ({ ...each, deadLetter: path })) }))
    const source = { connection: 'shop', channel, part: 'dead-letter', group: '' }
    expect((await sentBackAfter(reports, { source })).letters).toEqual(letters)
  })

  test('a replay that needs a second person is made, and not started', async () => {
    expect(await sentBackAfter([outage, well], { mostAlone: 1 })).toEqual({ letters: [1, 2], states: ['sealed'] })
    expect(await sentBackAfter([outage, well], { mostAlone: 2 })).toMatchObject({ letters: [1, 2], states: ['running'] })
  })
})

function elsewhere(channel: ChannelReport): ChannelReport {
  return { ...channel, deadLetter: 'dlq.others' }
}

/** A vault that does so many writes after an outage is over, and then no more: its control plane has died. */
function dyingAfter(vault: Vault, writes: number): Vault {
  let left = Number.POSITIVE_INFINITY
  return {
    ...vault,
    write: (async (name: 'keepReport', input: never) => {
      if (left-- <= 0) throw new RedriveError('closed', 'The process has died.')
      const answer = await vault.write(name, input)
      if (name === 'keepReport' && answer.recovered.length > 0) left = writes
      return answer
    }) as Vault['write'],
  }
}

interface Aftermath {
  readonly letters: readonly number[]
  readonly states: readonly string[]
  /** Recoveries that nobody has dealt with yet. */
  readonly pending: number
}

interface Later {
  /** What the other one sees. */
  readonly seen?: (vault: Vault) => Vault
  readonly meanwhile?: (vault: Vault) => Promise<void>
}

/** A control plane hears that an outage is over and dies after so many writes; another one takes over. */
async function diedAfter(writes: number, { seen = (vault) => vault, meanwhile }: Later = {}): Promise<Aftermath> {
  const vault = memoryVault()
  await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 }), deadLetter({ n: 2 })])
  const clock = virtualClock({ start: noon })
  const open = (on: Vault) =>
    createControlPlane({
      ...{ vault: on, clock, triage: [rule], newId: () => 'x', draw: (bytes: number) => new Uint8Array(bytes) },
      ...{ sources: [], transportNamed: () => undefined },
    })
  const dying = open(dyingAfter(vault, writes))
  for (const [index, changes] of [outage, well].entries()) {
    // A report whose answer is lost was kept all the same.
    await dying.consumers.report(report({ number: index + 1, ...changes }), [['*']]).catch(() => {})
  }
  await dying.close()
  await meanwhile?.(vault)
  const next = open(seen(vault))
  await next.start()
  await next.close()
  const replays = await vault.read('listReplays', { limit: 10, states: ['sealed', 'starting', 'running', 'stopped', 'done'] })
  const lines = await Promise.all(replays.map(({ id }) => vault.read('readLedger', { replay: id, after: -1, limit: 10 })))
  const pending = await vault.read('pendingRecoveries', undefined)
  await vault.close()
  return { letters: lines.flat().map(({ letter }) => letter), states: replays.map(({ state }) => state), pending: pending.length }
}

const sentBackOnce: Aftermath = { letters: [1, 2], states: ['running'], pending: 0 }
/** More than it takes to seal and start one replay and to note it. */
const allWrites = Array.from({ length: 14 }, (_, writes) => writes)

describe('a control plane that dies after it has heard that a channel works again', () => {
  test.each(allWrites)('is followed by one that sends the letters back, once: after %i writes', async (writes) => {
    expect(await diedAfter(writes)).toEqual(sentBackOnce)
  })

  test('is seen to forget them where the end of the outage is not written down', async () => {
    const forgetful = (vault: Vault): Vault => ({
      ...vault,
      read: ((name: 'pendingRecoveries', input: never) =>
        name === 'pendingRecoveries' ? Promise.resolve([]) : vault.read(name, input)) as Vault['read'],
    })
    expect((await diedAfter(0, { seen: forgetful })).letters).toEqual([])
  })

  test('is seen to make a second replay where nobody looks for the first', async () => {
    const blind = (vault: Vault): Vault => ({
      ...vault,
      read: ((name: 'listReplays', input: never) =>
        name === 'listReplays' ? Promise.resolve([]) : vault.read(name, input)) as Vault['read'],
    })
    const aftermaths = await Promise.all(allWrites.map((writes) => diedAfter(writes, { seen: blind })))
    expect(aftermaths.filter(({ states }) => states.length > 1)).not.toEqual([])
  })

  /** A person cancels what the rule has made, as soon as it is sealed: how many there were. */
  async function cancelledAfter(writes: number, seen?: Later['seen']): Promise<{ cancelled: number; replays: number }> {
    let cancelled = 0
    const meanwhile = async (vault: Vault): Promise<void> => {
      for (const { id } of await vault.read('listReplays', { limit: 10, states: ['sealed', 'starting', 'running'] })) {
        await vault.write('beginCancel', { replay: id, now: noon })
        await vault.write('releaseLetters', { replay: id, now: noon })
        cancelled++
      }
    }
    const { states, pending } = await diedAfter(writes, { meanwhile, ...(seen && { seen }) })
    expect(pending).toBe(0)
    return { cancelled, replays: states.length }
  }

  test.each(allWrites)(
    'is followed by one that makes nothing again of what a person has cancelled: after %i writes',
    async (writes) => {
      const { cancelled, replays } = await cancelledAfter(writes)
      expect(replays).toBe(cancelled === 0 ? 1 : 0)
    },
  )

  test('is seen to make it again where cancelled replays are not looked at', async () => {
    const blind = (vault: Vault): Vault => ({
      ...vault,
      read: (async (name: 'listReplays', input: never) => {
        const found = await vault.read(name, input)
        return name === 'listReplays' ? found.filter(({ state }) => state !== 'cancelled') : found
      }) as Vault['read'],
    })
    const aftermaths = await Promise.all(allWrites.map((writes) => cancelledAfter(writes, blind)))
    expect(aftermaths.filter(({ cancelled, replays }) => cancelled > 0 && replays > 0)).not.toEqual([])
  })

  test('sends nothing back when the channel is down again', async () => {
    const vault = memoryVault()
    await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })])
    const now = noon
    for (const [index, changes] of [outage, well, outage].entries()) {
      await vault.write('keepReport', { report: report({ number: index + 1, ...changes }), scopes: [['*']], now })
    }
    const plane = createControlPlane({
      ...{ vault, clock: virtualClock({ start: noon }), triage: [rule], newId: () => 'x' },
      ...{ draw: (bytes: number) => new Uint8Array(bytes), sources: [], transportNamed: () => undefined },
    })
    await plane.start()
    await plane.close()
    expect(await vault.read('listReplays', { limit: 10 })).toEqual([])
    expect(await vault.read('pendingRecoveries', undefined)).toEqual([])
    await vault.close()
  })
})
