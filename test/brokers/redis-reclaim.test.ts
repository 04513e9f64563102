import { describe, expect, onTestFinished, test } from 'vitest'
import type { Delivery, Receiver, Transport } from '../../src/transports/seam.ts'
import { until } from '../until.ts'
import { onBrokers } from './on-brokers.ts'
import { type Place, placeOn } from './redis.ts'
import { redisVersions } from './redis-subjects.ts'

const work = { name: 'work' }
const minute = 60_000
/** Nobody renews it: to the server, its consumer is gone when it is over. */
const ofTheDead = 300

await onBrokers('redis', redisVersions, (broker, version) => {
  async function provisioned(): Promise<Place> {
    const place = placeOn(broker)
    await place.provision({ address: work, role: 'work' })
    return place
  }

  function opened(place: Place): Transport {
    const transport = place.open({ pollEvery: '50ms' })
    onTestFinished(() => transport.close())
    return transport
  }

  async function sent(transport: Transport, id: string): Promise<void> {
    await transport.send(work, { id, body: null, headers: [] })
  }

  async function next(receiver: Receiver): Promise<Delivery> {
    const [delivery] = await receiver.take(1, minute)
    return delivery ?? expect.fail('Nothing came within a minute.')
  }

  /** Claims nothing ahead, since it closes; what it took stays held. */
  async function takeOne(transport: Transport, hold: number): Promise<Delivery> {
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    const delivery = await next(receiver)
    await receiver.close()
    return delivery
  }

  /** As a program of somebody else would, or one of an older version. */
  async function readBarely(place: Place, consumer: string): Promise<string> {
    const read = await place.barely((client) =>
      client.xreadgroup('GROUP', 'redrive', consumer, 'COUNT', 1, 'STREAMS', `${place.prefix}work`, '>'),
    )
    return read?.[0]?.[1][0]?.[0] ?? expect.fail('There was nothing to read.')
  }

  describe(`what is pending on Redis ${version}`, { timeout: 5 * minute }, () => {
    test('is reclaimed from a consumer that is gone, and never from one that still holds it', async () => {
      const place = await provisioned()
      const [running, dead, other] = [opened(place), opened(place), opened(place)]
      await sent(running, 'of the living')
      const held = await takeOne(running, 10 * minute)
      await sent(running, 'of the dead')
      await takeOne(dead, ofTheDead)
      const receiver = await other.receive(work, { prefetch: 10, hold: 10 * minute })
      const reclaimed = await next(receiver)
      expect([reclaimed.message.id, reclaimed.suspect]).toEqual(['of the dead', true])
      await other.settle(reclaimed, { kind: 'complete' })
      expect(await receiver.take(1, 1000)).toEqual([])
      await running.settle(held, { kind: 'complete' })
    })

    test('would be taken from a running handler by whoever claims what is idle; that one is told when it settles', async () => {
      const place = await provisioned()
      const running = opened(place)
      await sent(running, 'of the living')
      const held = await takeOne(running, 10 * minute)
      const claimed = await place.barely((client) => client.xautoclaim(`${place.prefix}work`, 'redrive', 'other', 0, '0'))
      expect(claimed[1]).toHaveLength(1)
      await expect(running.settle(held, { kind: 'complete' })).rejects.toMatchObject({ code: 'hold-lost' })
    })

    test('stays with whoever renews it, however short the time is that its name says', async () => {
      const place = await provisioned()
      const [running, other] = [opened(place), opened(place)]
      await sent(running, 'of the living')
      const held = await takeOne(running, 10 * ofTheDead)
      await running.extend(held, 10 * minute)
      const receiver = await other.receive(work, { prefetch: 10, hold: 10 * minute })
      expect(await receiver.take(1, 20 * ofTheDead)).toEqual([])
      await running.settle(held, { kind: 'complete' })
      expect(await other.measure(work)).toMatchObject({ retained: 0 })
    })

    test('would be taken from a running handler whose name said less than it was told; a plain read as such a one shows it', async () => {
      const place = await provisioned()
      const other = opened(place)
      await sent(other, 'of the living')
      await readBarely(place, 'redrive-planted-1')
      const taken = await next(await other.receive(work, { prefetch: 10, hold: 10 * minute }))
      expect([taken.message.id, taken.suspect, taken.deliveries]).toEqual(['of the living', true, 2])
    })

    test('to a consumer of an older version is its own until the time that it wrote down, and not longer', async () => {
      const place = await provisioned()
      const other = opened(place)
      await sent(other, 'of the old')
      const id = await readBarely(place, 'redrive-old')
      const lease = (ms: number) => place.barely((client) => client.zadd(`${place.prefix}~times~work`, Date.now() + ms, id))
      await lease(10 * minute)
      const receiver = await other.receive(work, { prefetch: 10, hold: 10 * minute })
      expect(await receiver.take(1, 3 * ofTheDead)).toEqual([])
      await lease(-1)
      const reclaimed = await next(receiver)
      expect([reclaimed.message.id, reclaimed.suspect]).toEqual(['of the old', true])
    })

    test('to a consumer that somebody deletes by hand, and that reads on, comes again as well', async () => {
      const place = await provisioned()
      const [running, other] = [opened(place), opened(place)]
      const receiver = await running.receive(work, { prefetch: 1, hold: 10 * ofTheDead })
      await sent(running, 'of the deleted')
      await next(receiver)
      await place.barely(async (client) => {
        const [consumer] = (await client.xinfo('CONSUMERS', `${place.prefix}work`, 'redrive')) as [string, string][]
        await client.xgroup('DELCONSUMER', `${place.prefix}work`, 'redrive', consumer?.[1] ?? '')
      })
      await sent(running, 'later')
      expect(await next(receiver)).toMatchObject({ message: { id: 'later' } })
      await receiver.close()
      const seen = new Set<string | undefined>()
      const others = await other.receive(work, { prefetch: 1, hold: 10 * minute })
      await until('both have come to another', async () => {
        for (const delivery of await others.take(1, 100)) {
          seen.add(delivery.message.id)
          await other.settle(delivery, { kind: 'complete' })
        }
        return seen.size === 2
      })
    })

    test('that was delayed when it was sent waits for its time, although a plain read brings it', async () => {
      const place = await provisioned()
      const transport = opened(place)
      await transport.send(work, { id: 'late', body: null, headers: [] }, { delay: 10 * minute })
      await sent(transport, 'now')
      const receiver = await transport.receive(work, { prefetch: 10, hold: 10 * minute })
      expect(await next(receiver)).toMatchObject({ message: { id: 'now' } })
      expect(await receiver.take(1, 3 * ofTheDead)).toEqual([])
      const delayed = `${place.prefix}~times~work`
      await place.barely(async (client) => {
        const [id = ''] = await client.zrange(delayed, '0', '0')
        await client.zadd(delayed, 1, id)
      })
      expect(await next(receiver)).toMatchObject({ message: { id: 'late' }, suspect: false, deliveries: 1 })
    })

    test.each(['complete', 'release', 'retry'] as const)(
      'and whose entry somebody deletes is forgotten when it is settled by %s, or its consumer is gone',
      async (kind) => {
        const place = await provisioned()
        const [transport, dead] = [opened(place), opened(place)]
        for (const id of ['in hand', 'of the dead']) await sent(transport, id)
        const held = await takeOne(transport, 10 * minute)
        const lost = await takeOne(dead, ofTheDead)
        await place.barely((client) => client.xdel(`${place.prefix}work`, held.position ?? '', lost.position ?? ''))
        await transport.settle(held, kind === 'retry' ? { kind, delay: 0 } : { kind })
        const receiver = await transport.receive(work, { prefetch: 10, hold: 10 * minute })
        await sent(transport, 'later')
        const later = await next(receiver)
        expect(later.message.id).toBe('later')
        await transport.settle(later, { kind: 'complete' })
        await until('the group knows of nothing any more', async () => {
          expect(await receiver.take(1, 100)).toEqual([])
          const [pending] = await place.barely((client) => client.xpending(`${place.prefix}work`, 'redrive'))
          return pending === 0
        })
      },
    )
  })
})
