import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import rhea from 'rhea'
import { describe, expect, test, vi } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createDispositionPace } from './disposition-pace.ts'
import { type Held, newHeld, newLock } from './held.ts'
import { createPatience } from './patience.ts'
import { createReceiver, type Intake, type ReceiveContext, type Supply } from './receiving.ts'

/** A supply that brings what a test says, and writes down for how many it was asked. */
function stage(nature: Partial<Supply> = {}, ended?: () => void) {
  const clock = virtualClock()
  const asked: number[] = []
  const returned: ServiceBusReceivedMessage[] = []
  const pace = createDispositionPace(clock)
  const answers = createPatience(clock, 1000)
  let intake: Intake | undefined
  const context = {
    bus: { library: { types: rhea.types } },
    settings: { clock, answerWithin: 1000 },
    keeper: { add() {}, remove() {} },
    address: { name: 'work' },
    options: { prefetch: 1, hold: 1000 },
  } as unknown as ReceiveContext
  const supplyFor = (given: Intake): Supply => {
    intake = given
    return {
      expected: () => 0,
      want: (_max, room) => void asked.push(room),
      refill: (room) => void (room > 0 && asked.push(room)),
      async stop() {},
      async close() {},
      ...nature,
    }
  }
  const receiver = createReceiver(context, supplyFor, ended)
  function bring(deliveryCount: number): Held {
    const received = { body: Buffer.from('x'), deliveryCount, _rawAmqpMessage: {} } as unknown as ServiceBusReceivedMessage
    const lock = newLock(clock.now() + 1000, clock.now(), async () => new Date(), Number.POSITIVE_INFINITY)
    const desk = { abandonMessage: async () => void returned.push(received) }
    const origin = { inSession: false, desk, pace, answers, alive: () => true, left() {} } as unknown as Held['origin']
    const held = newHeld({ received, address: { name: 'work' }, lock, origin })
    intake?.hold(held)
    intake?.offer(held)
    return held
  }
  return { clock, receiver, bring, asked, returned, settled: (held: Held) => intake?.left(held) }
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

  test('stops its links for a suspect though nothing is on its way: one that is attached anew would ask for more', async () => {
    const stopped: string[] = []
    const { receiver, bring } = stage({ expected: () => 0, stop: async () => void stopped.push('stopped') })
    bring(1)
    expect(await receiver.take(1, 0)).toHaveLength(1)
    expect(stopped).toEqual(['stopped'])
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
  test.each<'stop' | 'close'>(['stop', 'close'])('closes in the end, though its links do not %s', async (verb) => {
    const { clock, receiver } = stage({ [verb]: () => new Promise(() => {}) })
    const closed = receiver.close()
    const ended = receiver.end()
    await clock.advance(3000)
    await closed
    await ended
  })
  test('that has paused gives back what it has, though its links fail to stop', async () => {
    const { clock, bring, returned } = stage({ stop: () => Promise.reject(new Error('no connection')) })
    const { received } = bring(0)
    await clock.advance(5_000)
    expect(returned).toEqual([received])
  })
  test('has ended when it is closed and what it gave is settled, and not before', async () => {
    const log: string[] = []
    const { clock, receiver, bring, settled } = stage({}, () => void log.push('ended'))
    const given = bring(0)
    await receiver.take(1, 0)
    await receiver.close()
    await clock.settle()
    expect(log).toEqual([])
    settled(given)
    await clock.settle()
    expect(log).toEqual(['ended'])
  })

  test('that gave nothing has ended when it is closed', async () => {
    const log: string[] = []
    const { receiver } = stage({}, () => void log.push('ended'))
    await receiver.close()
    expect(log).toEqual(['ended'])
  })
})
