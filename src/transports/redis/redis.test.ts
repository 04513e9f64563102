import type { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { type Place, placeOn } from '../../../test/brokers/redis.ts'
import { redisVersions } from '../../../test/brokers/redis-subjects.ts'
import { taken } from '../../../test/taken.ts'
import type { Message } from '../../core/message.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Delivery, Receiver, Settlement, Transport } from '../seam.ts'
import type { WantedChannel } from '../topology.ts'
import { keysOf } from './keys.ts'
import { join } from './look-scripts.ts'
import type { RedisOptions } from './redis.ts'

const work = { name: 'work' }
const grave = { name: 'grave' }
const plain: WantedChannel = { address: work, role: 'work' }
const dead: WantedChannel = { address: grave, role: 'dead-letter' }
/** Nobody looks by himself within the time of a test. */
const neverPolls = { pollEvery: '10m' } as const
const minute = 60_000
const decoder = new TextDecoder()

const message = (label: string): Message => ({ id: label, body: new TextEncoder().encode(label), headers: [] })

async function receiving(transport: Transport, hold = 10 * minute): Promise<Receiver> {
  return transport.receive(work, { prefetch: 10, hold })
}

async function next(receiver: Receiver): Promise<Delivery> {
  const [delivery] = await receiver.take(1, minute)
  if (delivery === undefined) throw new Error('Nothing came within a minute.')
  return delivery
}

await onBrokers('redis', redisVersions, (broker, version) => {
  function opened(place: Place, options: Partial<RedisOptions> = {}): Transport {
    const transport = place.open(options)
    onTestFinished(() => transport.close())
    return transport
  }

  async function placeWith(...channels: readonly WantedChannel[]): Promise<Place> {
    const place = placeOn(broker)
    await place.provision(...channels)
    return place
  }

  /** Works with a bare client that knows as what the only consumer reads. */
  const beside = <T>(place: Place, work: (client: Redis, stream: string, consumer: string) => Promise<T>): Promise<T> =>
    place.barely(async (client) => {
      const stream = `${place.prefix}work`
      const [consumer] = (await client.xinfo('CONSUMERS', stream, 'redrive')) as [string, string][]
      return work(client, stream, consumer?.[1] ?? '')
    })

  const connections = (place: Place): Promise<number> =>
    place.barely(async (client) => String(await client.client('LIST')).split('name=redrive ').length - 1)

  const connectionOf = (place: Place): Promise<string | undefined> =>
    place.barely(async (client) => /id=(\d+) .* name=redrive /.exec(String(await client.client('LIST')))?.[1])

  describe(`Redis ${version}`, { timeout: 5 * minute }, () => {
    test('a notification wakes who waits, when another process sends', async () => {
      const place = await placeWith(plain)
      const taking = next(await receiving(opened(place, neverPolls)))
      await opened(place).send(work, message('a'))
      expect((await taking).message.id).toBe('a')
    })

    test('an entry that another program adds is found by looking: one field is its body, the others are headers', async () => {
      const place = await placeWith(plain)
      const transport = opened(place, { pollEvery: '50ms' })
      const taking = next(await receiving(transport))
      const id = await place.barely((client) =>
        client.xadd(`${place.prefix}work`, '*', 'payload', '{"order":1}', 'tenant', 'acme'),
      )
      const delivery = await taking
      expect(delivery).toMatchObject({ position: id, message: { headers: [['tenant', 'acme']] } })
      expect(decoder.decode(delivery.message.body ?? new Uint8Array())).toBe('{"order":1}')
      expect((await transport.browse(work, { limit: 10 })).messages).toMatchObject([
        { position: id, message: { headers: [['tenant', 'acme']] } },
      ])
    })

    test.each([
      ['two hours ahead', 2 * 60 * minute],
      ['forty days behind', -40 * 24 * 60 * minute],
    ])('a consumer whose clock is %s neither loses its hold nor takes that of others', async (_, skew) => {
      const place = await placeWith(plain)
      const skewed = { ...systemClock, now: () => systemClock.now() + skew }
      const [wrong, right] = [opened(place, { clock: skewed }), opened(place)]
      const [there, here] = [await receiving(wrong), await receiving(right)]
      await right.send(work, message('a'))
      const held = await next(there)
      expect(await here.take(1, 300)).toEqual([])
      await wrong.settle(held, { kind: 'retry', delay: 50 })
      const again = await next(here)
      expect(await there.take(1, 300)).toEqual([])
      await right.settle(again, { kind: 'complete' })
      expect(await right.measure(work)).toMatchObject({ retained: 0 })
    })

    describe('a stream that others trim', () => {
      test('loses no letter of what was in hand, and keeps nothing of what is gone', async () => {
        const place = await placeWith(plain, dead)
        const transport = opened(place, { pollEvery: '50ms' })
        const receiver = await receiving(transport)
        for (const label of ['moved', 'retried', 'late', 'next']) await transport.send(work, message(label))
        const [moved, retried, late] = await taken(receiver, 3)
        if (!moved || !retried || !late) expect.fail('Three were sent.')
        await transport.settle(retried, { kind: 'retry', delay: 50 })
        await place.barely((client) => client.xtrim(`${place.prefix}work`, 'MAXLEN', 0))
        await transport.settle(late, { kind: 'retry', delay: 50 })
        await transport.settle(moved, { kind: 'move', to: grave, message: moved.message })
        const { messages } = await transport.browse(grave, { limit: 10 })
        expect(messages.map(({ message: { body } }) => decoder.decode(body ?? new Uint8Array()))).toEqual(['moved'])
        await transport.send(work, message('later'))
        const ids = new Set<string | undefined>()
        await vi.waitFor(
          async () => {
            for (const delivery of await receiver.take(10, 100)) {
              ids.add(delivery.message.id)
              await transport.settle(delivery, { kind: 'complete' })
            }
            expect(ids).toContain('later')
          },
          { timeout: 2 * minute },
        )
        await receiver.close()
        await place.barely(async (client) => {
          const left = await client.keys(`${place.prefix}~*`)
          expect(left).toEqual([`${place.prefix}~joined~work`])
          expect(await client.xpending(`${place.prefix}work`, 'redrive')).toEqual([0, null, null, null])
        })
      })
    })

    describe('a consumer of the group', () => {
      const consumersOf = (place: Place): Promise<number> =>
        place.barely(async (client) => ((await client.xinfo('CONSUMERS', `${place.prefix}work`, 'redrive')) as unknown[]).length)

      test('is counted while it receives, and leaves nothing behind when it closes', async () => {
        const place = await placeWith(plain)
        const [transport, observer] = [place.open(), opened(place)]
        await receiving(transport)
        expect(await observer.measure(work)).toMatchObject({ consumers: 1 })
        await transport.close()
        expect(await observer.measure(work)).toMatchObject({ consumers: 0 })
        expect(await consumersOf(place)).toBe(0)
      })

      test('that somebody deletes by hand takes nothing along, although the group then knows of nothing', async () => {
        const place = await placeWith(plain)
        const transport = opened(place)
        await transport.send(work, message('a'))
        const receiver = await transport.receive(work, { prefetch: 1, hold: 300 })
        await next(receiver)
        await receiver.close()
        await beside(place, async (client, stream, consumer) => {
          await client.xgroup('DELCONSUMER', stream, 'redrive', consumer)
          expect(await client.xpending(stream, 'redrive')).toEqual([0, null, null, null])
          const others = await client.xreadgroup('GROUP', 'redrive', 'other', 'COUNT', 1, 'STREAMS', stream, '>')
          expect(others).toBeNull()
        })
        expect(await next(await receiving(opened(place)))).toMatchObject({ message: { id: 'a' }, suspect: true })
      })

      test('takes nothing along either when its own process receives anew, which did not know of it', async () => {
        const place = await placeWith(plain)
        const transport = opened(place, { pollEvery: '50ms' })
        const anew = (): Promise<Receiver> => transport.receive(work, { prefetch: 1, hold: 300 })
        await (await anew()).close()
        await transport.send(work, message('a'))
        await beside(place, async (client, stream, consumer) => {
          await client.xreadgroup('GROUP', 'redrive', consumer, 'COUNT', 1, 'STREAMS', stream, '>')
          await client.xgroup('DELCONSUMER', stream, 'redrive', consumer)
        })
        expect(await next(await anew())).toMatchObject({ message: { id: 'a' }, suspect: true })
      })
    })

    describe('a consumer that was silent for long and holds nothing', () => {
      const notesIn = (place: Place): Promise<string[]> =>
        place.barely((client) => client.zrange(keysOf(place.prefix, work.name).joined, '0', '-1'))

      /** Somebody else joins, to whom everybody has been silent for long. */
      const forget = (place: Place): Promise<void> =>
        beside(place, async (client, stream, consumer) => {
          const { joined } = keysOf(place.prefix, work.name)
          // Behind every silence, even none: who joins is not forgotten all the same.
          await client.eval(join.lua, 2, stream, joined, 'redrive', `redrive-other-${minute}`, '-1')
          expect(await client.xinfo('CONSUMERS', stream, 'redrive')).not.toContainEqual(expect.arrayContaining([consumer]))
        })

      const other = `redrive-other-${minute} 0-0`

      test('is forgotten with its note, so that nothing is searched for what it held', async () => {
        const place = await placeWith(plain)
        await receiving(opened(place))
        await forget(place)
        expect(await notesIn(place)).toEqual([other])
      })

      test('reads again, and takes nothing along when somebody deletes it by hand then', async () => {
        const place = await placeWith(plain)
        // By its clock, it is not time yet to look for what is due again.
        const stopped = systemClock.now()
        const [transport, sender] = [opened(place, { clock: { ...systemClock, now: () => stopped } }), opened(place)]
        const receiver = await transport.receive(work, { prefetch: 1, hold: 300 })
        expect(await receiver.take(1, 0)).toEqual([])
        await forget(place)
        await sender.send(work, message('a'))
        await next(receiver)
        await receiver.close()
        await place.barely(async (client) => {
          const { stream } = keysOf(place.prefix, work.name)
          const [pending] = (await client.xpending(stream, 'redrive', '-', '+', 1)) as [[string, string]]
          await client.xgroup('DELCONSUMER', stream, 'redrive', pending[1])
        })
        expect(await next(await receiving(sender))).toMatchObject({ message: { id: 'a' }, suspect: true })
      })

      test('is noted again also when what is due again is the first that it gets', async () => {
        const place = await placeWith(plain)
        const [transport, sender] = [opened(place), opened(place)]
        const receiver = await receiving(transport)
        await forget(place)
        await sender.send(work, message('a'))
        const reader = await receiving(sender)
        await sender.settle(await next(reader), { kind: 'retry', delay: 0 })
        await reader.close()
        await next(receiver)
        expect(await notesIn(place)).toHaveLength(3)
      })
    })

    test('what a consumer was given and never heard of is for others in the end, although it lives and keeps the rest', async () => {
      const place = await placeWith(plain)
      const [busy, other] = [opened(place), opened(place, { pollEvery: '50ms' })]
      const hold = 5_000
      await busy.send(work, message('kept'))
      const kept = await next(await busy.receive(work, { prefetch: 1, hold }))
      await busy.send(work, message('unheard'))
      await beside(place, (client, stream, consumer) =>
        client.xreadgroup('GROUP', 'redrive', consumer, 'COUNT', 1, 'STREAMS', stream, '>'),
      )
      let isWorking = true
      const keeping = (async () => {
        while (isWorking) await busy.extend(kept, hold)
      })()
      const found = await next(await receiving(other)).finally(() => {
        isWorking = false
      })
      await keeping
      expect(found).toMatchObject({ message: { id: 'unheard' }, suspect: true })
      await busy.settle(kept, { kind: 'complete' })
    })

    test('receivers that come and go in one process leave one note of their consumer', async () => {
      const place = await placeWith(plain)
      const transport = opened(place)
      for (const label of ['a', 'b', 'c']) {
        await transport.send(work, message(label))
        const receiver = await receiving(transport)
        await transport.settle(await next(receiver), { kind: 'complete' })
        await receiver.close()
      }
      expect(await place.barely((client) => client.zcard(`${place.prefix}~joined~work`))).toBe(1)
    })

    test.each([
      ['a stream', (client: Redis, stream: string) => client.del(stream)],
      ['a group', (client: Redis, stream: string) => client.xgroup('DESTROY', stream, 'redrive')],
    ])('%s that is gone is an unknown channel to who takes from it', async (_, take) => {
      const place = await placeWith(plain)
      const receiver = await receiving(opened(place, { pollEvery: '50ms' }))
      await beside<unknown>(place, take)
      await expect(receiver.take(1, minute)).rejects.toMatchObject({ code: 'unknown-channel' })
    })

    test('what asks while the transport closes opens no connection behind it', async () => {
      const place = await placeWith(plain)
      const transport = place.open()
      const channels = Array.from({ length: 50 }, (_, n): WantedChannel => ({ address: { name: `many-${n}` }, role: 'work' }))
      await transport.measure(work)
      const applying = transport.provision({ channels }, 'apply').catch((error) => error)
      await transport.close()
      await applying
      await vi.waitFor(async () => expect(await connections(place)).toBe(0), { timeout: minute })
    })

    describe('trouble', () => {
      test('scripts that the server has forgotten are told to it again', async () => {
        const place = await placeWith(plain)
        const transport = opened(place)
        await transport.send(work, message('a'))
        await place.barely((client) => client.script('FLUSH'))
        await transport.send(work, message('b'))
        expect(await transport.measure(work)).toMatchObject({ retained: 2 })
      })

      test('connections that the server ends are made anew, and what is held can be settled', async () => {
        const place = await placeWith(plain)
        const transport = opened(place)
        const receiver = await receiving(transport)
        await transport.send(work, message('a'))
        const held = await next(receiver)
        await place.barely((client) => client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'))
        await vi.waitFor(() => transport.settle(held, { kind: 'complete' }), { timeout: 2 * minute })
        await vi.waitFor(() => transport.send(work, message('b')), { timeout: 2 * minute })
        await vi.waitFor(async () => expect((await next(receiver)).message.id).toBe('b'), { timeout: 2 * minute })
      })

      test('a server that has stopped answering leaves nobody waiting, and nothing is lost', async () => {
        const place = await placeWith(plain)
        const transport = opened(place, { answerWithin: '12s', connectWithin: '12s' })
        const receiver = await receiving(transport)
        await transport.send(work, message('a'))
        const held = await next(receiver)
        broker.freeze()
        try {
          const settling = transport.settle(held, { kind: 'complete' })
          await expect(settling).rejects.toMatchObject({ code: expect.stringMatching(/^(unsure|unreachable)$/) })
          const sending = transport.send(work, message('b'))
          await expect(sending).rejects.toMatchObject({ code: expect.stringMatching(/^(unsure|unreachable)$/) })
        } finally {
          broker.thaw()
        }
        // What the server heard before it stood still it may have done: then the message is gone, and the hold with it.
        await vi.waitFor(
          () =>
            transport.settle(held, { kind: 'complete' }).catch((error) => {
              if (error.code !== 'hold-lost') throw error
            }),
          { timeout: 2 * minute },
        )
      })

      test('a replica refuses, and after a failover the same transport goes on', async () => {
        const place = await placeWith(plain)
        const transport = opened(place)
        await transport.send(work, message('a'))
        const before = await connectionOf(place)
        try {
          await place.barely((client) => client.replicaof('127.0.0.1', 1))
          const sending = transport.send(work, message('b'))
          await expect(sending).rejects.toMatchObject({ code: 'unreachable', message: expect.stringContaining('READONLY') })
        } finally {
          await place.barely((client) => client.replicaof('NO', 'ONE'))
        }
        await transport.send(work, message('c'))
        expect(await transport.measure(work)).toMatchObject({ retained: 2 })
        // Behind its name there may be another server by now.
        expect(await connectionOf(place)).not.toBe(before)
      })

      test.each<Settlement>([
        { kind: 'complete' },
        { kind: 'release' },
        { kind: 'retry', delay: 0 },
        { kind: 'move', to: grave, message: message('letter'), delay: 0 },
      ])('a server that lost what it knew has given it to somebody else under the same number: no $kind', async (settlement) => {
        const place = await placeWith(plain, dead)
        const transport = opened(place)
        await transport.send(work, message('a'))
        const held = await next(await receiving(transport))
        const other = `redrive-other-${minute}`
        const pending = await beside(place, async (client, stream) => {
          await client.xclaim(stream, 'redrive', other, 0, String(held.position), 'RETRYCOUNT', 1, 'JUSTID')
          await expect(transport.settle(held, settlement)).rejects.toMatchObject({ code: 'hold-lost' })
          return client.xpending(stream, 'redrive', '-', '+', 10)
        })
        expect(pending).toEqual([[held.position, other, expect.any(Number), 1]])
        expect(await transport.measure(grave)).toMatchObject({ retained: 0 })
      })

      test('nor is it extended', async () => {
        const place = await placeWith(plain)
        const transport = opened(place)
        await transport.send(work, message('a'))
        const held = await next(await receiving(transport))
        await beside(place, (client, stream) =>
          client.xclaim(stream, 'redrive', `redrive-other-${minute}`, 0, String(held.position), 'RETRYCOUNT', 1, 'JUSTID'),
        )
        await expect(transport.extend(held, minute)).rejects.toMatchObject({ code: 'hold-lost' })
      })

      test('what was delayed, and is read by somebody just when its time comes, has no other time then', async () => {
        const place = await placeWith(plain)
        const transport = opened(place)
        await transport.send(work, message('a'), { delay: minute })
        const isDelayed = await place.barely(async (client) => {
          const { stream, times } = keysOf(place.prefix, work.name)
          await client.xreadgroup('GROUP', 'redrive', `redrive-other-${minute}`, 'STREAMS', stream, '>')
          const [id = ''] = await client.zrange(times, '0', '-1')
          await client.zadd(times, '1', id)
          expect(await (await receiving(transport)).take(1, 0)).toEqual([])
          return client.zscore(times, id)
        })
        expect(isDelayed).toBeNull()
      })

      test('a server without memory refuses what is new, and lets go of what is done', async () => {
        const place = await placeWith(plain)
        const transport = opened(place)
        const receiver = await receiving(transport)
        await transport.send(work, message('a'))
        const held = await next(receiver)
        try {
          await place.barely((client) => client.config('SET', 'maxmemory', '1mb'))
          const sending = transport.send(work, message('b'))
          await expect(sending).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('OOM') })
          await transport.settle(held, { kind: 'complete' })
        } finally {
          await place.barely((client) => client.config('SET', 'maxmemory', '0'))
        }
        expect(await transport.measure(work)).toMatchObject({ retained: 0 })
      })

      test('a server without memory still gives what it has: who takes it makes room', async () => {
        const place = await placeWith(plain)
        const [dies, producer] = [place.open(), opened(place)]
        for (const label of ['held', 'new']) await producer.send(work, message(label))
        await next(await dies.receive(work, { prefetch: 1, hold: 300 }))
        try {
          await place.barely((client) => client.config('SET', 'maxmemory', '1mb'))
          const lives = opened(place, { pollEvery: '50ms' })
          const receiver = await receiving(lives)
          const found = new Map<string | undefined, boolean>()
          while (found.size < 2) {
            const delivery = await next(receiver)
            found.set(delivery.message.id, delivery.suspect)
            await lives.settle(delivery, { kind: 'complete' })
          }
          expect(found).toEqual(
            new Map([
              ['new', false],
              ['held', true],
            ]),
          )
        } finally {
          await place.barely((client) => client.config('SET', 'maxmemory', '0'))
        }
        await dies.close()
        expect(await producer.measure(work)).toMatchObject({ retained: 0 })
      })

      test('sends that stop in their middle are unsure, and none is made twice', async () => {
        const place = await placeWith(plain)
        const { stream, times } = keysOf(place.prefix, work.name)
        await place.barely((client) => client.set(times, 'no times'))
        const transport = opened(place)
        const sending = ['a', 'b'].map((label) => transport.send(work, message(label), { delay: minute }))
        await Promise.all(sending.map((each) => expect(each).rejects.toMatchObject({ code: 'unsure' })))
        expect(await place.barely((client) => client.xlen(stream))).toBe(1)
      })

      test('no error quotes a message or the password', async () => {
        const place = await placeWith(plain)
        await place.barely((client) => client.set(`${place.prefix}other`, 'no stream'))
        const failed = await opened(place)
          .send({ name: 'other' }, message('canary'))
          .catch((error) => error)
        expect(failed).toMatchObject({ code: 'refused' })
        const url = Object.assign(new URL(broker.url), { username: 'nobody', password: 'hunter2' })
        const unreached = await opened(place, { url: url.href })
          .measure(work)
          .catch((error) => error)
        expect(unreached).toMatchObject({ code: 'access-denied' })
        const told = [failed, unreached].map((error) => `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).join()
        expect(told).not.toMatch(/canary|hunter2/)
      })
    })

    describe('provisioning', () => {
      const check = (transport: Transport) => transport.provision({ channels: [plain] }, 'check')

      test('by many at the same time makes everything once', async () => {
        const place = placeOn(broker)
        await Promise.all(Array.from({ length: 6 }, () => place.provision(plain)))
        const groups = await place.barely((client) => client.xinfo('GROUPS', `${place.prefix}work`))
        expect(groups).toHaveLength(1)
      })

      test('of a stream that others write makes the group that is missing, and what stands there is received', async () => {
        const place = placeOn(broker)
        await place.barely((client) => client.xadd(`${place.prefix}work`, '*', 'body', 'from before'))
        const transport = opened(place)
        expect(await check(transport)).toMatchObject([{ severity: 'missing', what: 'channel-missing' }])
        await place.provision(plain)
        expect(decoder.decode((await next(await receiving(transport))).message.body ?? new Uint8Array())).toBe('from before')
      })

      test('tells of a key that is no stream', async () => {
        const place = placeOn(broker)
        await place.barely((client) => client.set(`${place.prefix}work`, 'no stream'))
        expect(await check(opened(place))).toMatchObject([{ severity: 'fatal', what: 'no-stream' }])
      })

      test.each([
        ['appendfsync', 'everysec', 'always', 'appendfsync-not-always'],
        ['appendonly', 'no', 'yes', 'appendonly-off'],
        ['maxmemory-policy', 'allkeys-lru', 'noeviction', 'maxmemory-evicts'],
      ])('warns of %s %s, and only then', async (setting, losing, safe, what) => {
        const place = await placeWith(plain)
        const transport = opened(place)
        expect(await check(transport)).toEqual([])
        try {
          await place.barely((client) => client.config('SET', setting, losing))
          expect(await check(transport)).toMatchObject([{ severity: 'warning', what }])
        } finally {
          await place.barely((client) => client.config('SET', setting, safe))
        }
      })
    })
  })
})
