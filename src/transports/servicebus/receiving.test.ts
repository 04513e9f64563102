import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import rhea from 'rhea'
import { describe, expect, test, vi } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { type Held, newLock } from './held.ts'
import { createReceiver, type Intake, type ReceiveContext, type Supply } from './receiving.ts'

/** A supply that brings what a test says, and writes down for how many it was asked. */
function stage(nature: Partial<Supply> = {}) {
  const clock = virtualClock()
  const asked: number[] = []
  let intake: Intake | undefined
  const context = {
    bus: { library: { types: rhea.types } },
    settings: { clock, answerWithin: 1000 },
    keeper: { add() {}, remove() {} },
    address: { name: 'work' },
    options: { prefetch: 1, hold: 1000 },
  } as unknown as ReceiveContext
  const receiver = createReceiver(context, (given) => {
    intake = given
    return {
      expected: () => 0,
      want: (_max, room) => void asked.push(room),
      refill: (room) => void (room > 0 && asked.push(room)),
      async stop() {},
      async close() {},
      ...nature,
    }
  })
  function bring(deliveryCount: number): Held {
    const received = { body: Buffer.from('x'), deliveryCount, _rawAmqpMessage: {} } as unknown as ServiceBusReceivedMessage
    const lock = newLock(clock.now() + 1000, clock.now(), async () => new Date(), Number.POSITIVE_INFINITY)
    const origin = { inSession: false } as Held['origin']
    const held: Held = {
      received,
      address: { name: 'work' },
      lock,
      origin,
      buffered: true,
      settlement: undefined,
      answered: false,
    }
    intake?.hold(held)
    intake?.offer(held)
    return held
  }
  return { receiver, bring, asked, settled: (held: Held) => intake?.left(held) }
}

/** What is asked for when the message before it is settled, while a second one is in hand. */
async function askedForBeside(deliveriesBefore: number): Promise<number[]> {
  const { receiver, bring, asked, settled } = stage()
  const first = bring(0)
  await receiver.take(1, 0)
  bring(deliveriesBefore)
  await receiver.take(1, 0)
  asked.length = 0
  settled(first)
  return asked
}

describe('a receiver', () => {
  test('asks for nothing beside a suspect: whatever came would be blamed with it', async () => {
    expect(await askedForBeside(1)).toEqual([])
  })

  test('asks for as much as it may beside any other', async () => {
    expect(await askedForBeside(0)).toEqual([1])
  })

  test('that closes while a suspect is being set apart lets go of its links when that is settled, and not before', async () => {
    const log: string[] = []
    const drained = Promise.withResolvers<void>()
    const stops = [drained.promise]
    const { receiver, bring, settled } = stage({
      expected: () => 1,
      stop: () => stops.pop() ?? Promise.resolve(),
      close: async () => void log.push('closed'),
    })
    const suspect = bring(1)
    const taking = receiver.take(1, 0).then((taken) => log.push(`took ${taken.length}`))
    await Promise.resolve()
    await receiver.close()
    drained.resolve()
    await taking
    expect(log).toEqual(['took 1'])
    settled(suspect)
    await vi.waitFor(() => expect(log).toEqual(['took 1', 'closed']))
  })
})
