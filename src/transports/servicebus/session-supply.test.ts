import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import rhea from 'rhea'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Settlement } from '../seam.ts'
import { deliveryOf } from './delivery.ts'
import type { Held } from './held.ts'
import type { Settings } from './options.ts'
import type { Intake, ReceiveContext } from './receiving.ts'
import type { RheaTypes } from './rhea.ts'
import type { SessionLine } from './session-line.ts'
import { sessionSupply } from './session-supply.ts'
import { settle } from './settle.ts'

const types = rhea.types as unknown as RheaTypes
const sessionIdle = 500
const answerWithin = 10_000

type Handlers = { processMessage(message: ServiceBusReceivedMessage): Promise<void> }

/** One session, whose link brings what a test says and is drained when it says so; and what becomes of its messages. */
async function stage(supplyFor = sessionSupply) {
  const clock = virtualClock()
  const log: string[] = []
  const held = new Set<Held>()
  const drained = Promise.withResolvers<void>()
  const busy: string[] = []
  const link = { askedAgain: 0 }
  let offered: Held[] = []
  let handlers: Handlers | undefined
  const receiver = {
    sessionId: 'key',
    sessionLockedUntilUtc: new Date(clock.now() + 3_600_000),
    subscribe(given: Handlers) {
      handlers = given
      return { close: () => drained.promise }
    },
    async abandonMessage({ messageId }: ServiceBusReceivedMessage) {
      if (busy.pop()) throw Object.assign(new Error('throttled'), { code: 'ServiceBusy' })
      log.push(`back: ${messageId}`)
    },
    completeMessage: async () => {},
    close: async () => void log.push('let go'),
  }
  const sessions = [receiver]
  const acceptNextSession = () => sessions.pop() ?? new Promise(() => {})
  const settings = { clock, answerWithin, sessionIdle, sessions: true, retry: 'abandon' } as unknown as Settings
  const context = {
    bus: { client: { acceptNextSession }, library: { types } },
    settings,
    keeper: { add() {}, remove() {} },
    service: { locked() {}, now: clock.now },
    address: { name: 'work' },
    options: { prefetch: 10, hold: 60_000 },
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
    const one = offered.shift()
    if (one) await settle(deliveryOf(one, types), settlement, settings)
  }
  const supply = supplyFor(context, intake)
  supply.want(10, 10)
  await clock.settle()
  return {
    clock,
    log,
    link,
    drained,
    /** The next request is refused. */
    throttle: () => void busy.push('once'),
    offered: () => offered.map(({ received }) => String(received.messageId)),
    supply,
    bring(sequence: number, notBefore = 0) {
      const sequenceNumber = { toNumber: () => sequence, toString: () => String(sequence) }
      const applicationProperties = { 'redrive-not-before': notBefore }
      const message = { sequenceNumber, messageId: `m${sequence}`, sessionId: 'key', applicationProperties, _rawAmqpMessage: {} }
      void handlers?.processMessage(message as unknown as ServiceBusReceivedMessage).then(() => link.askedAgain++)
    },
    /** The first that was offered is taken, and fails. */
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

test('once it is closed, nothing waits any more for the time of a retry', async () => {
  const { clock, supply, bring } = await stage()
  bring(1, clock.now() + 3_600_000)
  await supply.close()
  const closedAt = clock.monotonic()
  await clock.runUntilIdle()
  expect(clock.monotonic()).toBe(closedAt)
})

describe('planted bugs', () => {
  afterEach(() => {
    vi.doUnmock('./session-line.ts')
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

  const checks = [givesBackWhatIsBehind, givesBackWhatWasOffered, triesAgain]

  test('without any, nothing is found', async () => {
    const supply = await supplyWith({})
    for (const check of checks) await check(supply)
  })

  test.each(checks.map((check) => [check.name, check] as const))(
    'those behind wait for what does not come, and then run before it: caught (%s)',
    async (_, check) => {
      const supply = await supplyWith({ takeStranded: () => [] })
      await expect(check(supply)).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
    },
  )
})
