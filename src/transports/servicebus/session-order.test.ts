import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import rhea from 'rhea'
import { expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Delivery, Settlement } from '../seam.ts'
import type { Settings } from './options.ts'
import { createReceiver, type ReceiveContext } from './receiving.ts'
import { sessionSupply } from './session-supply.ts'
import { settle } from './settle.ts'

const answerWithin = 10_000
const prefetch = 4

interface Sent {
  readonly sequence: number
  readonly deliveryCount: number
  readonly applicationProperties: object
}

type Handlers = { processMessage(message: ServiceBusReceivedMessage): Promise<void> }

/** A session at the broker: its link brings as many as it was asked for, the first ones first. */
function brokerSession(sessionId: string, lockedUntil: number) {
  let queue: Sent[] = []
  let credit = 0
  let handlers: Handlers | undefined
  const dying = new Set<number>()
  const messageOf = ({ sequence, ...rest }: Sent): ServiceBusReceivedMessage => {
    const sequenceNumber = { toNumber: () => sequence, toString: () => String(sequence) }
    const message = { ...rest, sequenceNumber, messageId: `${sessionId}${sequence}`, sessionId, body: Buffer.from('x') }
    return { ...message, _rawAmqpMessage: {} } as unknown as ServiceBusReceivedMessage
  }
  function pump(): void {
    while (handlers && credit > 0) {
      const next = queue.shift()
      if (!next) return
      credit--
      void handlers.processMessage(messageOf(next)).then(() => {
        credit++
        pump()
      })
    }
  }
  function put(one: Sent): void {
    queue = [...queue, one].sort((a, b) => a.sequence - b.sequence)
    pump()
  }
  const receiver = {
    sessionId,
    sessionLockedUntilUtc: new Date(lockedUntil),
    subscribe(given: Handlers, { maxConcurrentCalls }: { maxConcurrentCalls: number }) {
      handlers = given
      credit = maxConcurrentCalls
      queueMicrotask(pump)
      return { close: async () => {} }
    },
    async abandonMessage({ sequenceNumber, deliveryCount = 0, applicationProperties }: ServiceBusReceivedMessage, note: object) {
      const sequence = Number(sequenceNumber)
      if (!dying.has(sequence))
        put({ sequence, deliveryCount: deliveryCount + 1, applicationProperties: { ...applicationProperties, ...note } })
    },
    completeMessage: async () => {},
    close: async () => {},
  }
  return {
    receiver,
    put: (sequence: number) => put({ sequence, deliveryCount: 0, applicationProperties: {} }),
    /** It has been delivered as often as the service allows: given back, it becomes a dead letter. */
    deliverNoMore: (sequence: number) => void dying.add(sequence),
  }
}

function stage() {
  const clock = virtualClock()
  const a = brokerSession('a', clock.now() + 3_600_000)
  const b = brokerSession('b', clock.now() + 3_600_000)
  const free = [a.receiver, b.receiver]
  const settings = { clock, answerWithin, sessionIdle: 5000, sessions: true, retry: 'abandon' } as unknown as Settings
  const context = {
    bus: { client: { acceptNextSession: () => free.shift() ?? new Promise(() => {}) }, library: { types: rhea.types } },
    settings,
    keeper: { add() {}, remove() {} },
    service: { locked() {}, now: clock.now },
    address: { name: 'work' },
    options: { prefetch, hold: 600_000 },
  } as unknown as ReceiveContext
  const receiver = createReceiver(context, (intake) => sessionSupply(context, intake))
  let inHand: Delivery[] = []
  const started: string[] = []

  async function take(): Promise<void> {
    if (inHand.length >= prefetch) return
    const taking = receiver.take(prefetch - inHand.length, 1)
    await clock.settle()
    await clock.advance(2)
    const taken = await taking
    inHand.push(...taken)
    started.push(...taken.map(nameOf))
  }

  async function finish(one: Delivery, settlement: Settlement): Promise<void> {
    inHand = inHand.filter((each) => each !== one)
    const settled = settle(one, settlement, settings)
    await clock.settle()
    await clock.advance(1)
    await settled
  }

  /** It fails, and what is in hand behind it goes back as if it had not been given out. */
  async function fail(one: Delivery): Promise<void> {
    for (const behind of inHand.filter(({ lane }) => lane === one.lane).slice(1)) {
      started.splice(started.indexOf(nameOf(behind)), 1)
      await finish(behind, { kind: 'release' })
    }
    await finish(one, { kind: 'retry', delay: 0 })
  }

  /** The first in hand of each session: one of them runs at a time. */
  const heads = (): Delivery[] => inHand.filter((one, at) => inHand.findIndex(({ lane }) => lane === one.lane) === at)
  return { clock, a, b, started, take, finish, fail, heads }
}

const nameOf = ({ message }: Delivery): string => String(message.id)

test('what failed comes again before all behind it, while another session has more than there is room for', async () => {
  const { clock, a, b, started, take, finish, fail, heads } = stage()
  a.put(1)
  await take()
  for (const sequence of [101, 102, 103, 104]) b.put(sequence)
  await take()
  await take()
  for (let sequence = 2; sequence <= 400; sequence++) a.put(sequence)
  let hasFailed = false
  for (let round = 0; round < 300; round++) {
    await take()
    for (const one of heads()) {
      if (nameOf(one) !== 'b101' || hasFailed) await finish(one, { kind: 'complete' })
      else {
        hasFailed = true
        await fail(one)
      }
    }
    await clock.advance(100)
  }
  expect(started.filter((name) => name.startsWith('b'))).toEqual(['b101', 'b101', 'b102', 'b103', 'b104'])
})

test('a session that has more than there is room for leaves some of it to another one', async () => {
  const { clock, a, b, started, take, finish, heads } = stage()
  a.put(1)
  await take()
  b.put(101)
  await take()
  await take()
  for (let sequence = 2; sequence <= 400; sequence++) a.put(sequence)
  for (let sequence = 102; sequence <= 400; sequence++) b.put(sequence)
  for (let round = 0; round < 50; round++) {
    await take()
    for (const one of heads()) await finish(one, { kind: 'complete' })
    await clock.advance(10)
  }
  const shares = ['a', 'b'].map((session) => started.filter((name) => name.startsWith(session)).length)
  expect(Math.min(...shares)).toBeGreaterThan(Math.max(...shares) / 4)
})

test('a message that the service dead-letters instead of bringing it again stops its session for no longer than that may take', async () => {
  const { clock, a, started, take, finish, fail, heads } = stage()
  for (let sequence = 1; sequence <= 40; sequence++) a.put(sequence)
  a.deliverNoMore(1)
  await take()
  for (const one of heads()) await fail(one)
  await take()
  expect(started).toEqual(['a1'])
  await clock.advance(answerWithin)
  for (let round = 0; round < 100; round++) {
    await take()
    for (const one of heads()) await finish(one, { kind: 'complete' })
  }
  expect(started).toEqual(Array.from({ length: 40 }, (_, n) => `a${n + 1}`))
})
