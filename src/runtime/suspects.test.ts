import { describe, expect, it } from 'vitest'
import { gate, Job, provision, testingWorld, type World } from '../../test/testing-world.ts'
import type { Context } from './context.ts'

/** A process that takes everything it can and dies with it in hand. */
async function crashHolding(world: World, count: number): Promise<void> {
  const process = world.broker.connect()
  const receiver = await process.receive({ name: 'work' }, { prefetch: count, hold: 30_000 })
  expect(await receiver.take(count, 0)).toHaveLength(count)
  process.faults.loseConnection()
}

describe('after a crash', () => {
  it('dead-letters a crash-looping message as PoisonMessage after its budget, and none of its 199 neighbours', async () => {
    const world = testingWorld()
    await provision(world.broker)
    for (let n = 0; n < 200; n++) await world.put(n)
    await crashHolding(world, 200)
    let crashes = 0
    for (let life = 0; life < 10; life++) {
      const process = world.broker.connect()
      const handler = (value: unknown): unknown => value === 7 && ++crashes && process.faults.loseConnection()
      const consumer = world.consumer({ transport: process })
      consumer.channel('work', { deadLetter: 'dead', prefetch: 200 }).on(Job, handler)
      await consumer.start()
      const before = crashes
      for (let n = 0; n < 50 && crashes === before; n++) await world.clock.settle()
      process.faults.down()
      await world.clock.settle()
    }
    expect(crashes).toBe(3)
    expect(world.of('dead-lettered')).toMatchObject([{ reason: 'PoisonMessage' }])
    expect(world.of('completed')).toHaveLength(199)
    expect([(await world.letters()).length, await world.letters('work')]).toEqual([1, []])
  })

  it('runs a suspect alone, across all channels of the consumer', async () => {
    const world = testingWorld()
    await provision(world.broker)
    for (let n = 0; n < 5; n++) await world.put(`suspect ${n}`)
    await crashHolding(world, 5)
    const running = new Set<Context>()
    const crowds: number[] = []
    async function handler(value: unknown, ctx: Context): Promise<void> {
      running.add(ctx)
      const isSuspect = String(value).startsWith('suspect')
      await new Promise<void>((resolve) => world.clock.after(50, resolve))
      if (isSuspect) crowds.push(running.size)
      running.delete(ctx)
    }
    const consumer = world.consumer()
    consumer.channel('work', { deadLetter: 'dead' }).on(Job, handler)
    consumer.channel('other', { deadLetter: 'dead' }).on(Job, handler)
    await consumer.start()
    for (let n = 0; n < 30; n++) await world.put(n, {}, n % 2 ? 'work' : 'other')
    await world.clock.advance(60_000)
    expect(crowds).toEqual([1, 1, 1, 1, 1])
    expect(world.of('completed')).toHaveLength(35)
  })

  it('starts a suspect only when everything in hand has settled, in other channels too', async () => {
    const world = testingWorld()
    await provision(world.broker)
    await world.put('suspect')
    const crashing = world.broker.connect()
    await (await crashing.receive({ name: 'work' }, { prefetch: 1, hold: 60_000 })).take(1, 0)
    const slow = gate()
    const seen: unknown[] = []
    const consumer = world.consumer()
    for (const name of ['work', 'other']) {
      consumer.channel(name, { deadLetter: 'dead' }).on(Job, (value) => seen.push(value) && value === 'slow' && slow.promise)
    }
    await consumer.start()
    await world.put('slow', {}, 'other')
    crashing.faults.loseConnection()
    await world.clock.settle()
    expect([seen, world.of('suspect').length]).toEqual([['slow'], 1])
    slow.resolve()
    await world.clock.settle()
    expect(seen).toEqual(['slow', 'suspect'])
  })

  it('does not stop the world for a suspect whose dead-letter channel is down', async () => {
    const world = testingWorld()
    await provision(world.broker)
    await world.put('suspect')
    await crashHolding(world, 1)
    world.broker.faults.refuse('dead')
    await world.consume((value, ctx) => value === 'suspect' && ctx.deadLetter())
    await world.put('healthy')
    await world.clock.advance(10_000)
    expect(world.of('completed')).toHaveLength(1)
  })

  it('is careful first: 1, 2, 4, … in hand while nothing looks like a crash, and 1 again after a suspect', async () => {
    const world = testingWorld()
    await provision(world.broker)
    const ends: PromiseWithResolvers<void>[] = []
    await world.consume(() => ends[ends.push(gate()) - 1]?.promise, { concurrency: 100, prefetch: 100, timeout: '1h' })
    for (let n = 0; n < 40; n++) await world.put(n)
    const waves: number[] = []
    for (let wave = 0; wave < 4; wave++) {
      waves.push(ends.length)
      for (const { resolve } of ends.splice(0)) resolve()
      await world.clock.settle()
    }
    expect(waves).toEqual([1, 2, 4, 8])
    world.broker.faults.loseConnection()
    await world.clock.advance(1000)
    ends.splice(0, ends.length - 1)
    expect([ends.length, world.of('suspect').length]).toEqual([1, 1])
  })
})
