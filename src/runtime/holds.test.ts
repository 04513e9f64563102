import { describe, expect, it } from 'vitest'
import { gate, testingWorld, untilAborted } from '../../test/testing-world.ts'
import { RedriveError } from '../core/errors.ts'
import type { Delivery, Transport } from '../transports/seam.ts'
import type { Context } from './context.ts'

const minute = 60_000

/** Takes the first delivery away again before anybody has seen it, as a log does when it hands its partitions out anew. */
function takesTheFirstAway(broker: Transport): Transport {
  let isFirst = true
  return {
    ...broker,
    async receive(address, options) {
      const receiver = await broker.receive(address, options)
      const { lost, close } = receiver
      async function take(max: number, wait: number): Promise<readonly Delivery[]> {
        const batch = await receiver.take(max, wait)
        if (!isFirst || batch.length === 0) return batch
        isFirst = false
        for (const delivery of batch) await broker.settle(delivery, { kind: 'release' })
        return batch.map((delivery) => ({ ...delivery, hold: { signal: AbortSignal.abort() } }))
      }
      return { lost, close, take }
    },
  }
}

it('what was lost on its way to us takes no room', async () => {
  const world = testingWorld()
  await world.consume(() => {}, { prefetch: 1 }, { transport: takesTheFirstAway(world.broker) })
  await world.put('a')
  await world.clock.advance(minute)
  expect(world.of('completed')).toHaveLength(1)
})

describe('what is in hand stays ours', () => {
  it('while it runs and while it only waits for a slot', async () => {
    const world = testingWorld()
    const slow = gate()
    const seen: unknown[] = []
    await world.consume((value) => seen.push(value) && value === 'slow' && slow.promise, {
      concurrency: 1,
      hold: '10s',
      timeout: '1h',
    })
    await world.put('first')
    await world.put('slow')
    await world.put('waits')
    await world.clock.advance(5 * minute)
    slow.resolve()
    await world.clock.settle()
    expect(seen).toEqual(['first', 'slow', 'waits'])
    expect([world.of('hold-lost'), world.of('suspect')]).toEqual([[], []])
  })

  it.each([-3_600_000, 3_600_000])('also when the wall clock jumps by %i ms', async (jump) => {
    const world = testingWorld()
    const slow = gate()
    await world.consume(() => slow.promise, { hold: '10s', timeout: '1h' })
    await world.put(1)
    world.clock.jump(jump)
    await world.clock.advance(2 * minute)
    world.clock.jump(jump)
    await world.clock.advance(2 * minute)
    slow.resolve()
    await world.clock.settle()
    expect([world.of('hold-lost'), world.of('completed').length]).toEqual([[], 1])
  })

  it('for as long as its handler asked, even where that is longer than the runtime would', async () => {
    const world = testingWorld()
    const asked: number[] = []
    const extend: Transport['extend'] = (delivery, ms) => {
      asked.push(ms)
      return world.broker.extend(delivery, ms)
    }
    const transport = { ...world.broker, extend }
    await world.consume((_, ctx) => ctx.extend('10m').then(() => gate().promise), { hold: '10s', timeout: '1h' }, { transport })
    await world.put(1)
    await world.clock.advance(9 * minute)
    expect(asked).toEqual([10 * minute])
    await world.clock.advance(2 * minute)
    expect(asked.slice(0, 2)).toEqual([10 * minute, 10_000])
    expect(world.of('hold-lost')).toEqual([])
  })

  it('even where its handler asked for less than the runtime would', async () => {
    const world = testingWorld()
    await world.consume((_, ctx) => ctx.extend('1s').then(() => gate().promise), { hold: '10s', timeout: '1h' })
    await world.put(1)
    await world.clock.advance(minute)
    expect([world.of('hold-lost'), world.of('received').length]).toEqual([[], 1])
  })

  it('as long as renewing fails only for a moment', async () => {
    const world = testingWorld()
    await world.consume(() => gate().promise, { hold: '10s', timeout: '1h' })
    await world.put(1)
    world.broker.faults.once('extend', { fail: 'unreachable' })
    await world.clock.advance(minute)
    expect(world.of('hold-lost')).toEqual([])
  })
})

describe('what is being settled', () => {
  /** The broker takes its time with a settlement, and meanwhile cannot extend the hold: it has ended as far as it knows. */
  function slowToSettle(broker: Transport, settling: Promise<void>): Transport {
    let isSettling = false
    return {
      ...broker,
      async settle(delivery, settlement) {
        isSettling = true
        await settling
        return broker.settle(delivery, settlement)
      },
      extend: (delivery, ms) =>
        isSettling ? Promise.reject(new RedriveError('hold-lost', 'it is settled')) : broker.extend(delivery, ms),
    }
  }

  it.each([
    ['completed', () => {}],
    ['dead-lettered', (_: unknown, ctx: Context) => ctx.deadLetter('no-good')],
  ] as const)('is not taken for lost when it cannot be extended meanwhile: %s', async (event, handler) => {
    const world = testingWorld()
    const settling = gate()
    await world.consume(handler, { hold: '10s' }, { transport: slowToSettle(world.broker, settling.promise) })
    await world.put(1)
    // Long enough to be renewed, and not so long that the hold ends.
    await world.clock.advance(8000)
    settling.resolve()
    await world.clock.settle()
    expect([world.of('hold-lost'), world.of(event).length]).toEqual([[], 1])
  })
})

describe('what is not ours any more', () => {
  it('is not mistaken for what cannot be asked about for a moment', async () => {
    const world = testingWorld()
    const slow = gate()
    await world.consume((value) => value === 'slow' && slow.promise, { hold: '10s', timeout: '1h' })
    for (let n = 0; n < 4; n++) await world.put(n)
    await world.clock.advance(minute)
    await world.put('slow')
    world.broker.faults.on('extend', { fail: 'unreachable' })
    world.broker.faults.once('take', { fail: 'unreachable' })
    await world.put('makes the next take fail')
    expect(world.of('connection-lost')).toHaveLength(1)
    await world.clock.advance(5000)
    world.broker.faults.clear()
    await world.clock.advance(minute)
    slow.resolve()
    await world.clock.settle()
    expect([world.of('hold-lost'), world.of('completed').length]).toEqual([[], 6])
  })

  it('has its signal aborted, its late result ignored, and is processed again', async () => {
    const world = testingWorld()
    const late = gate()
    const contexts: Context[] = []
    await world.consume((_, ctx) => contexts.push(ctx) === 1 && late.promise, { timeout: '1h' })
    await world.put(1)
    const signal = contexts[0]?.signal
    world.broker.faults.loseConnection()
    await world.clock.settle()
    expect(signal?.aborted).toBe(true)
    await world.clock.advance(1000)
    expect(contexts.map(({ deliveries }) => deliveries)).toEqual([1, 2])
    late.reject(new Error('too late'))
    await world.clock.advance(minute)
    expect([world.of('completed').length, world.of('failed'), world.of('hold-lost').length]).toEqual([1, [], 1])
    expect(await world.letters('work')).toEqual([])
  })

  it('is found out by the renewal, too', async () => {
    const world = testingWorld()
    let runs = 0
    await world.consume((_, { signal }) => ++runs === 1 && untilAborted(signal), { hold: '10s', timeout: '1h' })
    await world.put(1)
    world.broker.faults.once('extend', { fail: 'hold-lost' })
    await world.clock.advance(9999)
    expect(world.of('hold-lost')).toHaveLength(1)
    await world.clock.advance(minute)
    expect([runs, world.of('completed').length]).toEqual([2, 1])
  })

  it('never starts, when it was lost while it waited for a slot', async () => {
    const world = testingWorld()
    const seen: unknown[] = []
    await world.consume((value, { signal }) => seen.push(value) === 2 && untilAborted(signal), { concurrency: 1 })
    await world.put('first')
    await world.put('runs')
    await world.put('waits')
    world.broker.faults.down()
    await world.clock.settle()
    expect(world.of('hold-lost')).toHaveLength(2)
    expect(seen).toEqual(['first', 'runs'])
  })
})

describe('a lost connection', () => {
  it('is opened again with growing pauses, and consuming goes on', async () => {
    const world = testingWorld()
    await world.consume(() => {})
    await world.put(1)
    world.broker.faults.down()
    await world.clock.advance(minute)
    const pauses = world.of('connection-lost').map(({ retryInMs }) => retryInMs)
    expect(pauses.slice(0, 5)).toEqual([200, 400, 800, 1600, 3200])
    expect(Math.max(...pauses)).toBe(15_000)
    world.broker.faults.up()
    await world.clock.advance(15_000)
    expect(world.of('connection-restored')).toHaveLength(1)
    await world.put(2)
    expect(world.of('completed')).toHaveLength(2)
  })

  it('is noticed while there is no room for more', async () => {
    const world = testingWorld()
    let runs = 0
    await world.consume((_, { signal }) => ++runs === 1 && untilAborted(signal), { prefetch: 1, timeout: '1h' })
    await world.put(1)
    world.broker.faults.loseConnection()
    await world.clock.advance(1000)
    expect([runs, world.of('completed').length]).toEqual([2, 1])
  })
})
