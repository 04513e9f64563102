import { describe, expect, it } from 'vitest'
import { gate, Job, provision, testingWorld, type World } from '../../test/testing-world.ts'
import { redriveHeaders } from '../core/letter.ts'
import { newUuid } from '../platform/chance.ts'
import type { Capabilities } from '../transports/capabilities.ts'
import type { MemoryTransport } from '../transports/memory/memory.ts'
import type { Delivery, Transport } from '../transports/seam.ts'
import { letterId } from './letter-identity.ts'
import { suspectCopy } from './suspect-copies.ts'

/** A broker that counts nothing, as a classic RabbitMQ queue: it only says "redelivered", of a release as of a crash. */
function countingNothing(broker: MemoryTransport, counts: Capabilities['counts'] = 'copies'): Transport {
  const retry = { ...broker.capabilities.retry, by: 'copy', inPlace: false } as const
  const uncounted = (delivery: Delivery): Delivery =>
    Object.assign(Object.create(delivery), { turns: 0, deliveries: 1, suspect: delivery.deliveries > 1 })
  return {
    ...broker,
    capabilities: { ...broker.capabilities, counts, retry, move: 'none' },
    settle: (delivery, settlement) => broker.settle(Object.getPrototypeOf(delivery), settlement),
    extend: (delivery, ms) => broker.extend(Object.getPrototypeOf(delivery), ms),
    async receive(address, options) {
      const receiver = await broker.receive(address, options)
      return { ...receiver, take: async (max, wait) => (await receiver.take(max, wait)).map(uncounted), lost: receiver.lost }
    },
  }
}

async function crashHolding(world: World, count: number): Promise<void> {
  const process = world.broker.connect()
  const receiver = await process.receive({ name: 'work' }, { prefetch: count, hold: 30_000 })
  expect(await receiver.take(count, 0)).toHaveLength(count)
  process.faults.loseConnection()
}

/** Ten lives of a process whose handler dies of the message 7; tells how often it did. */
async function crashLoop(world: World, counts?: Capabilities['counts']): Promise<number> {
  let crashes = 0
  for (let life = 0; life < 10; life++) {
    const process = world.broker.connect()
    const handler = (value: unknown): unknown => value === 7 && ++crashes && process.faults.loseConnection()
    const consumer = world.consumer({ transport: countingNothing(process, counts) })
    consumer.channel('work', { deadLetter: 'dead', prefetch: 50 }).on(Job, handler)
    await consumer.start()
    const before = crashes
    for (let n = 0; n < 400 && crashes === before; n++) await world.clock.settle()
    process.faults.down()
    await world.clock.settle()
  }
  return crashes
}

async function worldWith(count: number): Promise<World> {
  const world = testingWorld()
  await provision(world.broker)
  for (let n = 0; n < count; n++) await world.put(n)
  return world
}

function headersOf(world: World, channel: string): Promise<readonly (readonly [string, unknown])[][]> {
  return world.letters(channel).then((letters) => letters.map(({ headers }) => [...headers]))
}

describe('where nobody counts but the header on a copy', () => {
  it('dead-letters a crash-looping message after its budget, and none of its 49 neighbours', async () => {
    const world = await worldWith(50)
    await crashHolding(world, 50)
    expect(await crashLoop(world)).toBe(3)
    expect(world.of('dead-lettered')).toMatchObject([{ reason: 'PoisonMessage' }])
    expect(world.of('completed')).toHaveLength(49)
    expect([(await world.letters()).length, await world.letters('work')]).toEqual([1, []])
  })

  it('would crash for ever without the copies', async () => {
    const world = await worldWith(50)
    await crashHolding(world, 50)
    expect(await crashLoop(world, 'deliveries')).toBe(10)
  })

  it('blames nobody for the first crash: the copy has a mark and no turn', async () => {
    const world = await worldWith(1)
    await crashHolding(world, 1)
    const attempts: number[] = []
    await world.consume((_, ctx) => void attempts.push(ctx.attempt), {}, { transport: countingNothing(world.broker) })
    await world.clock.advance(1000)
    expect(attempts).toEqual([1])
    expect(world.of('suspect')).toHaveLength(1)
  })

  it('leaves no mark on a retry and on a letter', async () => {
    const world = await worldWith(2)
    await crashHolding(world, 2)
    const policy = { retry: { delayed: { retries: 2, backoff: { kind: 'fixed', first: '1h' } } } } as const
    const handler = (value: unknown, ctx: { deadLetter(): unknown }): unknown => {
      if (value === 0) return ctx.deadLetter()
      throw Object.assign(new Error('down'), { code: 'ECONNRESET' })
    }
    await world.consume(handler, policy, { transport: countingNothing(world.broker) })
    await world.clock.advance(5000)
    const headers = [...(await headersOf(world, 'dead')), ...(await headersOf(world, 'work'))]
    expect(headers).toHaveLength(2)
    expect(headers.flat().filter(([name]) => name === redriveHeaders.suspect)).toEqual([])
    expect(headers.flat()).toContainEqual([redriveHeaders.attempts, '1'])
  })

  it('tells on a copy where its original stood, so that letters of both are one', async () => {
    const world = await worldWith(1)
    await crashHolding(world, 1)
    const { broker } = world
    const receiver = await broker.receive({ name: 'work' }, { prefetch: 1, hold: 30_000 })
    const [original] = await receiver.take(1, 0)
    if (!original) throw new Error('Nothing came back.')
    const first = suspectCopy(original)
    const second = suspectCopy({ ...original, message: first, position: 'elsewhere' })
    for (const { headers } of [first, second]) {
      expect(headers).toContainEqual([redriveHeaders.originChannel, 'work'])
      expect(headers).toContainEqual([redriveHeaders.originPosition, original.position])
    }
    expect(letterId('memory', { ...original, message: second, position: 'elsewhere' }, newUuid)).toBe(
      letterId('memory', original, newUuid),
    )
  })

  it('does not count a shutdown: a marked copy goes back as a fresh one', async () => {
    const world = await worldWith(1)
    await crashHolding(world, 1)
    const runs: number[] = []
    for (let life = 0; life < 4; life++) {
      const never = gate()
      const transport = countingNothing(world.broker.connect())
      const consumer = world.consumer({ transport, drain: 0 })
      consumer.channel('work', { deadLetter: 'dead' }).on(Job, (_, ctx) => {
        runs.push(ctx.attempt)
        return never.promise
      })
      await consumer.start()
      await world.clock.advance(1000)
      const stopping = consumer.stop()
      await world.clock.advance(5000)
      await stopping
    }
    expect(runs).toEqual([1, 1, 1, 1])
  })

  it('gives a marked copy back as it is where no fresh one can be sent: nobody would get it otherwise', async () => {
    const world = await worldWith(1)
    await crashHolding(world, 1)
    const process = world.broker.connect()
    const consumer = world.consumer({ transport: countingNothing(process), drain: 0 })
    const begun = gate()
    consumer.channel('work', { deadLetter: 'dead' }).on(Job, () => begun.promise)
    await consumer.start()
    await world.clock.advance(1000)
    process.faults.on('send.before-write', { fail: 'unreachable' })
    const stopping = consumer.stop()
    await world.clock.advance(5000)
    await stopping
    const runs: number[] = []
    await world.consume((_, ctx) => void runs.push(ctx.attempt), {}, { transport: countingNothing(world.broker) })
    await world.clock.advance(1000)
    expect(runs).toHaveLength(1)
  })
})
