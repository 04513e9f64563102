import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import rhea from 'rhea'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Settlement } from '../seam.ts'
import { deliveryOf } from './delivery.ts'
import type { Held } from './held.ts'
import type { LinkPlaces } from './link-places.ts'
import { createLockKeeper } from './lock-keeper.ts'
import type { Settings } from './options.ts'
import type { Intake, ReceiveContext } from './receiving.ts'
import type { RheaTypes } from './rhea.ts'
import type { SessionLine } from './session-line.ts'
import { sessionSupply } from './session-supply.ts'
import { settle } from './settle.ts'

const types = rhea.types as unknown as RheaTypes
const sessionIdle = 500
const answerWithin = 10_000
const lockDuration = 60_000
const hour = 3_600_000

type Handlers = { processMessage(message: ServiceBusReceivedMessage): Promise<void> }

/** One session, whose link brings what a test says and is drained when it says so; and what becomes of its messages. */
async function stage(supplyFor = sessionSupply) {
  const clock = virtualClock()
  const log: string[] = []
  const held = new Set<Held>()
  const drained = Promise.withResolvers<void>()
  const completions: { message: string; isByLink: boolean }[] = []
  const busy: string[] = []
  const answers: Promise<void>[] = []
  const link = { askedAgain: 0, isClosed: false }
  /** As the SDK has it: it closes it when it is not drained in time. */
  const sdkLink: { close(): Promise<void> } = Object.create({
    async close() {
      link.isClosed = true
    },
  })
  let offered: Held[] = []
  let handlers: Handlers | undefined
  const receiver = {
    _messageSession: { _link: sdkLink },
    sessionId: 'key',
    sessionLockedUntilUtc: new Date(clock.now() + lockDuration),
    renewSessionLock: async () => new Date(clock.now() + lockDuration),
    subscribe(given: Handlers) {
      handlers = given
      return { close: () => drained.promise }
    },
    async abandonMessage({ messageId }: ServiceBusReceivedMessage) {
      if (busy.pop()) throw Object.assign(new Error('throttled'), { code: 'ServiceBusy' })
      log.push(`back: ${messageId}`)
      await answers.pop()
    },
    async completeMessage({ messageId, delivery }: ServiceBusReceivedMessage & { delivery: { link?: object } }) {
      completions.push({ message: String(messageId), isByLink: delivery.link !== undefined })
    },
    async close() {
      await sdkLink.close()
      log.push('let go')
    },
  }
  const sessions = [receiver]
  /** Who waits for another session. */
  const accepting: ((accepted: object) => void)[] = []
  const acceptNextSession = () => sessions.pop() ?? new Promise((resolve) => void accepting.push(resolve))
  const settings = { clock, answerWithin, sessionIdle, sessions: true, retry: 'abandon' } as unknown as Settings
  const context = {
    bus: { client: { acceptNextSession }, library: { types } },
    settings,
    keeper: createLockKeeper(clock, answerWithin),
    service: { locked() {}, now: clock.now },
    address: { name: 'work' },
    options: { prefetch: 10, hold: lockDuration / 2 },
  } as unknown as ReceiveContext
  const intake = {
    isEmpty: true,
    held,
    hold: (one: Held) => void held.add(one),
    offer: (one: Held) => void offered.push(one),
    takeBack(which: (one: Held) => boolean) {
      const back = offered.filter(which)
      offered = offered.filter((one) => !which(one))
      return back
    },
    left: (one: Held) => void held.delete(one),
    doubt() {},
  } as unknown as Intake
  async function settleFirst(settlement: Settlement): Promise<void> {
    await takeFirst()(settlement)
  }
  function takeFirst(): (settlement: Settlement) => Promise<void> {
    const one = offered.shift()
    return async (settlement) => one && settle(deliveryOf(one, types), settlement, settings)
  }
  const supply = supplyFor(context, intake)
  supply.want(10, 10)
  await clock.settle()
  return {
    clock,
    log,
    link,
    sdkLink,
    accepting,
    drained,
    /** The next request is refused. */
    throttle: () => void busy.push('once'),
    /** The next request is done, and answered so. */
    answerBy: (answer: Promise<void>) => void answers.push(answer),
    offered: () => offered.map(({ received }) => String(received.messageId)),
    supply,
    bring(sequence: number, notBefore = 0) {
      const sequenceNumber = { toNumber: () => sequence, toString: () => String(sequence) }
      const applicationProperties = { 'redrive-not-before': notBefore }
      const delivery = { id: sequence, settled: false, link: {} }
      const message = {
        ...{ sequenceNumber, messageId: `m${sequence}`, sessionId: 'key', applicationProperties },
        ...{ delivery, _rawAmqpMessage: {} },
      }
      void handlers?.processMessage(message as unknown as ServiceBusReceivedMessage).then(() => link.askedAgain++)
      return message
    },
    /** The first that was offered is taken, and fails. */
    completions,
    /** The first that was offered is taken, and settled when a test says so. */
    stays: takeFirst,
    failFirst: () => settleFirst({ kind: 'retry', delay: 0 }),
    settleFirst,
  }
}

/** A session that is let go brings nothing again: what stands behind a message that fails then must not run before it. */
async function givesBackWhatIsBehind(supplyFor?: typeof sessionSupply): Promise<void> {
  const { clock, log, drained, bring, failFirst, offered } = await stage(supplyFor)
  await clock.advance(sessionIdle)
  bring(1)
  void failFirst()
  await clock.settle()
  bring(2)
  bring(3)
  drained.resolve()
  await clock.advance(2 * answerWithin)
  expect(offered()).toEqual([])
  expect(log.toSorted()).toEqual(['back: m1', 'back: m2', 'back: m3', 'let go'])
  expect(log.at(-1)).toBe('let go')
}

async function givesBackWhatWasOffered(supplyFor?: typeof sessionSupply): Promise<void> {
  const { clock, log, drained, bring, failFirst, offered } = await stage(supplyFor)
  await clock.advance(sessionIdle)
  bring(1)
  bring(2)
  drained.resolve()
  await clock.settle()
  void failFirst()
  await clock.advance(2 * answerWithin)
  expect(offered()).toEqual([])
  expect(log).toEqual(expect.arrayContaining(['back: m1', 'back: m2']))
  expect(log.at(-1)).toBe('let go')
}

async function triesAgain(supplyFor?: typeof sessionSupply): Promise<void> {
  const { clock, log, drained, bring, failFirst, throttle, offered } = await stage(supplyFor)
  await clock.advance(sessionIdle)
  bring(1)
  bring(2)
  void failFirst()
  await clock.settle()
  throttle()
  drained.resolve()
  await clock.advance(2 * answerWithin)
  expect(offered()).toEqual([])
  expect(log).toEqual(['back: m1', 'back: m2', 'let go'])
}

/** Nobody has any of its messages meanwhile, and its lock is that of all of them. */
async function keptForARetry(supplyFor?: typeof sessionSupply): Promise<void> {
  const { clock, log, bring, offered } = await stage(supplyFor)
  const delay = 5 * lockDuration
  bring(1, clock.now() + delay)
  bring(2)
  await clock.advance(delay - 1)
  expect([log, offered()]).toEqual([[], []])
  await clock.advance(1)
  expect(offered()).toEqual(['m1', 'm2'])
  await clock.advance(lockDuration / 4)
  expect(log).toEqual([])
}

async function keptUntilItIsBack(supplyFor?: typeof sessionSupply): Promise<void> {
  const { clock, log, bring, failFirst, offered } = await stage(supplyFor)
  bring(1)
  bring(2)
  await clock.advance(lockDuration - answerWithin / 2)
  void failFirst()
  await clock.advance(answerWithin)
  expect([log, offered()]).toEqual([['back: m1'], ['m2']])
}

test('a session is kept while its first message waits for its time, and until somebody can have taken it', () => keptForARetry())
test('and while one that was given back is to come again', () => keptUntilItIsBack())

test('it is not kept for longer than a message can have to wait', async () => {
  const { clock, log, drained, bring } = await stage()
  drained.resolve()
  bring(1, clock.now() + 100 * hour)
  await clock.advance(hour)
  expect(log).toEqual([])
  await clock.advance(2 * lockDuration)
  expect(log).toEqual(['let go'])
})

/** Rhea stops a link that has brought 2,048 since the oldest that is in hand, and a session has no other link. */
async function passesWhatStays(supplyFor?: typeof sessionSupply): Promise<void> {
  const { clock, bring, settleFirst, stays, completions } = await stage(supplyFor)
  const first = bring(1)
  const one = stays()
  for (let sequence = 2; sequence < 2_048; sequence++) {
    bring(sequence)
    void settleFirst({ kind: 'complete' })
    await clock.settle()
  }
  expect(first.delivery.settled).toBe(true)
  expect(completions.at(-1)).toEqual({ message: 'm2047', isByLink: true })
  void one({ kind: 'complete' })
  await clock.settle()
  expect(completions.at(-1)).toEqual({ message: 'm1', isByLink: false })
}

/** It was told by its link what was decided, and must hear by it what came of that. */
async function waitsForAnAnswer(supplyFor?: typeof sessionSupply): Promise<void> {
  const { clock, bring, settleFirst, answerBy } = await stage(supplyFor)
  const answer = Promise.withResolvers<void>()
  answerBy(answer.promise)
  const first = bring(1)
  void settleFirst({ kind: 'release' })
  await clock.settle()
  for (let sequence = 2; sequence < 1_500; sequence++) {
    bring(sequence)
    void settleFirst({ kind: 'complete' })
    await clock.settle()
  }
  expect(first.delivery.settled).toBe(false)
}

/** The lock of a session ends with its link. */
async function openUnderAHandler(supplyFor?: typeof sessionSupply): Promise<void> {
  const { clock, supply, log, link, sdkLink, drained, bring, stays, offered } = await stage(supplyFor)
  bring(1)
  const inHand = stays()
  void supply.stop()
  await sdkLink.close()
  drained.resolve()
  await clock.settle()
  expect([link.isClosed, log]).toEqual([false, []])
  bring(2)
  await clock.settle()
  expect([offered(), log]).toEqual([[], ['back: m2']])
  await inHand({ kind: 'complete' })
  await clock.settle()
  expect([link.isClosed, log]).toEqual([true, ['back: m2', 'let go']])
}

test('a session that is not drained in time stays open under a handler, and gives back what was on its way', () =>
  openUnderAHandler())

test('one of which nothing is in hand is closed then', async () => {
  const { supply, link, sdkLink } = await stage()
  void supply.stop()
  await sdkLink.close()
  expect(link.isClosed).toBe(true)
})

test('and so is one whose lock is lost meanwhile', async () => {
  const { clock, supply, log, link, bring, stays } = await stage()
  bring(1)
  stays()
  void supply.stop()
  await clock.advance(2 * lockDuration)
  expect([link.isClosed, log]).toEqual([true, ['let go']])
})

test('a session goes on beside a message that stays in hand, and that one is settled by request in the end', () =>
  passesWhatStays())
test('what waits for an answer by its link keeps its place there', () => waitsForAnAnswer())

test('what comes while a session is let go goes back with the message that failed ahead of it', () => givesBackWhatIsBehind())
test('so does what had been offered before', () => givesBackWhatWasOffered())
test('the session is let go when that was refused at first, and is done', () => triesAgain())

test.each<[string, Settlement, number]>([
  ['failed is asked for again', { kind: 'retry', delay: 0 }, 1],
  ['was given back is asked for again', { kind: 'release' }, 1],
  ['is done is not', { kind: 'complete' }, 0],
])('where there is no room for more, what %s', async (_, settlement, expected) => {
  const { clock, link, bring, settleFirst } = await stage()
  bring(1)
  void settleFirst(settlement)
  await clock.settle()
  expect(link.askedAgain).toBe(expected)
})

test('what came again is not waited for, whatever is heard at last of giving it back', async () => {
  const { clock, bring, failFirst, answerBy, offered } = await stage()
  const answer = Promise.withResolvers<void>()
  answerBy(answer.promise)
  bring(1)
  bring(2)
  failFirst().catch(() => {})
  await clock.settle()
  expect(offered()).toEqual([])
  bring(1)
  answer.reject(new Error('no answer'))
  await clock.settle()
  expect(offered()).toEqual(['m1', 'm2'])
})

test('a session that comes too late and is never let go of keeps nobody from asking for another one', async () => {
  const { clock, supply, accepting, drained } = await stage()
  drained.resolve()
  await supply.stop()
  accepting[0]?.({ close: () => new Promise(() => {}) })
  await clock.settle()
  supply.want(10, 10)
  await clock.settle()
  expect(accepting).toHaveLength(2)
})

test('a question for another session that never ends is given up, and what comes of it after all is let go', async () => {
  const { clock, accepting } = await stage()
  await clock.advance(120_000 + answerWithin)
  await clock.advance(1000)
  expect(accepting).toHaveLength(2)
  const late = { close: vi.fn(async () => {}) }
  accepting[0]?.(late)
  await clock.settle()
  expect(late.close).toHaveBeenCalledOnce()
})

test('once it is closed, nothing waits any more for the time of a retry', async () => {
  const { clock, supply, bring } = await stage()
  bring(1, clock.now() + hour)
  await supply.close()
  const closedAt = clock.monotonic()
  await clock.runUntilIdle()
  expect(clock.monotonic()).toBe(closedAt)
})

describe('planted bugs', () => {
  afterEach(() => {
    vi.doUnmock('./session-line.ts')
    vi.doUnmock('./capabilities.ts')
    vi.doUnmock('./link-places.ts')
    vi.doUnmock('./flow.ts')
    vi.resetModules()
  })

  async function supplyWith(mistake: Partial<SessionLine>): Promise<typeof sessionSupply> {
    vi.resetModules()
    vi.doMock('./session-line.ts', async (original) => {
      const real = await original<typeof import('./session-line.ts')>()
      const createSessionLine: typeof real.createSessionLine = (of) => ({ ...real.createSessionLine(of), ...mistake })
      return { ...real, createSessionLine }
    })
    return (await import('./session-supply.ts')).sessionSupply
  }

  async function supplyThatKeepsNothing(): Promise<typeof sessionSupply> {
    vi.resetModules()
    vi.doMock('./capabilities.ts', () => ({ longestDelayInPlace: () => Number.NEGATIVE_INFINITY }))
    return (await import('./session-supply.ts')).sessionSupply
  }

  const checks = [givesBackWhatIsBehind, givesBackWhatWasOffered, triesAgain]

  test('without any, nothing is found', async () => {
    const supply = await supplyWith({})
    for (const check of checks) await check(supply)
  })

  test.each([keptForARetry, keptUntilItIsBack].map((check) => [check.name, check] as const))(
    'a lock that ends under messages that wait: caught (%s)',
    async (_, check) => {
      await check(await supplyWith({}))
      await expect(check(await supplyThatKeepsNothing())).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
    },
  )

  test('a link that stops beside what stays in hand: caught', async () => {
    vi.doMock('./link-places.ts', async (original) => {
      const real = await original<typeof import('./link-places.ts')>()
      const linkPlaces = (): LinkPlaces => Object.defineProperty(real.linkPlaces(), 'isStretched', { value: false })
      return { linkPlaces }
    })
    const supply = await supplyWith({})
    await expect(passesWhatStays(supply)).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })

  test('a session whose link is closed under a handler: caught', async () => {
    vi.doMock('./flow.ts', async (original) => {
      const real = await original<typeof import('./flow.ts')>()
      const openFlow: typeof real.openFlow = (receiver, width, patience, { isNeeded, ...events }) =>
        real.openFlow(receiver, width, patience, events)
      return { ...real, openFlow }
    })
    const supply = await supplyWith({})
    await expect(openUnderAHandler(supply)).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })

  test('a place that is given up before the answer: caught', async () => {
    const supply = await supplyWith({})
    const unaware: typeof sessionSupply = (context, intake) =>
      supply(context, {
        ...intake,
        hold(one) {
          intake.hold(Object.defineProperty(one, 'settling', { get: () => false, set() {} }))
        },
      })
    await expect(waitsForAnAnswer(unaware)).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })

  test.each(checks.map((check) => [check.name, check] as const))(
    'those behind wait for what does not come, and then run before it: caught (%s)',
    async (_, check) => {
      const supply = await supplyWith({ takeStranded: () => [] })
      await expect(check(supply)).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
    },
  )
})
