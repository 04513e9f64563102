import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { type Place, placeOn } from '../../../test/brokers/postgres.ts'
import { postgresVersions } from '../../../test/brokers/postgres-subjects.ts'
import { tcpProxy } from '../../../test/brokers/tcp-proxy.ts'
import { taken } from '../../../test/taken.ts'
import type { Message } from '../../core/message.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Delivery, Receiver, Transport } from '../seam.ts'
import type { WantedChannel } from '../topology.ts'
import { enqueue } from './enqueue.ts'
import { pageStatement } from './look.ts'
import type { PostgresOptions } from './postgres.ts'

const work = { name: 'work' }
const plain: WantedChannel = { address: work, role: 'work' }
const laned: WantedChannel = { ...plain, lanes: true }
const deadLetters: WantedChannel = { address: { name: 'dlq.work' }, role: 'dead-letter' }
/** Nobody looks by himself within the time of a test. */
const neverPolls = { pollEvery: '10m' } as const
const minute = 60_000

const message = (label: string, key?: string): Message => ({
  id: label,
  body: new TextEncoder().encode(label),
  headers: [],
  ...(key !== undefined && { key }),
})

/** As it was before what is handed out had a table of its own, with a right that somebody was given. */
const firstVersion = `
  INSERT INTO queue (id, channel, sent_at, ready_at, held, front, deliveries, turns, bytes)
    SELECT id, channel, sent_at, until, true, true, deliveries, turns, bytes FROM leased;
  DROP TABLE leased;
  DROP ROUTINE move;
  ALTER TABLE contents RESET (autovacuum_vacuum_cost_limit);
  ALTER TABLE queue RESET (autovacuum_vacuum_cost_limit);
  GRANT DELETE ON queue TO pg_monitor;
  UPDATE schema_version SET version = 1`

interface PlanNode {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** By what stands at the bottom of a plan. */
function rowsRead(node: PlanNode | undefined): number {
  if (!node) return 0
  if (node.Plans) return node.Plans.reduce((sum, below) => sum + rowsRead(below), 0)
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
}

async function receiving(transport: Transport, hold = 10 * minute): Promise<Receiver> {
  return transport.receive(work, { prefetch: 10, hold })
}

async function next(receiver: Receiver): Promise<Delivery> {
  const [delivery] = await receiver.take(1, minute)
  if (delivery === undefined) throw new Error('Nothing came within a minute.')
  return delivery
}

function codeOf(outcome: PromiseSettledResult<void>): string {
  return outcome.status === 'fulfilled' ? 'done' : String(outcome.reason.code)
}

await onBrokers('postgres', postgresVersions, (broker, version) => {
  function opened(place: Place, options: Partial<PostgresOptions> = {}): Transport {
    const transport = place.open(options)
    onTestFinished(() => transport.close())
    return transport
  }

  async function placeWith(...channels: readonly WantedChannel[]): Promise<Place> {
    const place = placeOn(broker)
    await place.provision(...channels)
    return place
  }

  describe(`PostgreSQL ${version}`, { timeout: 5 * minute }, () => {
    test('a page reads so much of a channel as it shows, however much stands there', async () => {
      const place = await placeWith(plain)
      const transport = opened(place)
      await Promise.all(Array.from({ length: 3000 }, (_, n) => transport.send(work, message(`m${n}`))))
      await receiving(transport).then((receiver) => receiver.take(10, minute))
      const read = await place.barely(async (client) => {
        await client.query(`ANALYZE ${place.schema}.queue`)
        const page = ['1', '0', '11', '1000000'].reduce(
          (sql, value, index) => sql.replaceAll(`$${index + 1}`, value),
          pageStatement(place.schema),
        )
        const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${page}`,
        )
        return rowsRead(rows[0]?.['QUERY PLAN'][0]?.Plan)
      })
      expect(read).toBeGreaterThan(10)
      expect(read).toBeLessThan(100)
    })

    describe('a notification', () => {
      test('wakes who waits, when another process sends', async () => {
        const place = await placeWith(plain)
        const taking = next(await receiving(opened(place, neverPolls)))
        await opened(place).send(work, message('a'))
        expect((await taking).message.id).toBe('a')
      })

      test('that is lost with its connection is made good by looking', async () => {
        const place = await placeWith(plain)
        const taking = next(await receiving(opened(place, { pollEvery: '50ms' })))
        await place.barely(async (client) => {
          await client.query(
            `SELECT ${place.schema}.send(ARRAY['work'], ARRAY['[1,"silent",null,null,null,null,[],null]'], ARRAY[NULL::bytea], ARRAY[NULL::bytea], ARRAY[0])`,
          )
        })
        expect((await taking).message.id).toBe('silent')
      })
    })

    describe("a message that is sent in the caller's own transaction", () => {
      test('is there when that commits, and wakes who waits', async () => {
        const place = await placeWith(plain)
        const receiver = await receiving(opened(place, neverPolls))
        await place.barely(async (client) => {
          await client.query('BEGIN')
          await enqueue(client, work, message('a'), { schema: place.schema })
          expect(await receiver.take(1, 0)).toEqual([])
          const taking = next(receiver)
          await client.query('COMMIT')
          expect((await taking).message.id).toBe('a')
        })
      })

      test('never was when that is rolled back', async () => {
        const place = await placeWith(plain)
        const transport = opened(place)
        await place.barely(async (client) => {
          await client.query('BEGIN')
          await enqueue(client, work, message('a'), { schema: place.schema })
          await client.query('ROLLBACK')
        })
        expect(await transport.measure(work)).toMatchObject({ retained: 0 })
      })

      test('to a channel that does not exist is refused, and the transaction can go on', async () => {
        const place = await placeWith(plain)
        await place.barely(async (client) => {
          await client.query('BEGIN')
          const sending = enqueue(client, { name: 'nowhere' }, message('a'), { schema: place.schema })
          await expect(sending).rejects.toMatchObject({ code: 'unknown-channel' })
          await expect(client.query('COMMIT')).resolves.toMatchObject({ command: 'COMMIT' })
        })
      })

      test('is found although claims have gone on behind it', async () => {
        const place = await placeWith(plain)
        const transport = opened(place)
        const receiver = await receiving(transport)
        const labels = Array.from({ length: 40 }, (_, index) => `through-${index}`)
        await place.barely(async (client) => {
          await client.query('BEGIN')
          await enqueue(client, work, message('late'), { schema: place.schema })
          await Promise.all(labels.map((label) => transport.send(work, message(label))))
          for (let taken = 0; taken < 15; taken++) await transport.settle(await next(receiver), { kind: 'complete' })
          await client.query('COMMIT')
        })
        const found: (string | undefined)[] = []
        while (found.length < 26) {
          const delivery = await next(receiver)
          found.push(delivery.message.id)
          await transport.settle(delivery, { kind: 'complete' })
        }
        expect(found.sort()).toEqual(['late', ...labels.slice(15)].sort())
      })

      test('keeps nobody waiting while that transaction is open, not even in its lane', async () => {
        const place = await placeWith(laned)
        const transport = opened(place)
        const receiver = await receiving(transport)
        await place.barely(async (client) => {
          await client.query('BEGIN')
          await enqueue(client, work, message('open', 'k'), { schema: place.schema })
          await transport.send(work, message('through', 'k'))
          const through = await next(receiver)
          expect(through.message.id).toBe('through')
          await transport.settle(through, { kind: 'complete' })
          await client.query('COMMIT')
        })
        expect((await next(receiver)).message.id).toBe('open')
      })
    })

    describe('a message whose sender commits after the one before it in its lane was completed', () => {
      /** What is in the lane is completed between the send and its commit. */
      async function sendAcrossCompletion(place: Place, meddle = ''): Promise<Receiver> {
        const transport = opened(place)
        const receiver = await receiving(transport)
        await transport.send(work, message('first', 'k'))
        const first = await next(receiver)
        await place.barely(async (client) => {
          await client.query('BEGIN')
          await enqueue(client, work, message('second', 'k'), { schema: place.schema })
          if (meddle !== '') await client.query(meddle)
          await transport.settle(first, { kind: 'complete' })
          await client.query('COMMIT')
        })
        return receiver
      }

      test('is delivered', async () => {
        expect((await next(await sendAcrossCompletion(await placeWith(laned)))).message.id).toBe('second')
      })

      test('would wait for ever if its sender had judged its place', async () => {
        const place = await placeWith(laned)
        const receiver = await sendAcrossCompletion(place, `UPDATE ${place.schema}.queue SET front = false WHERE front IS NULL`)
        expect(await receiver.take(1, 2000)).toEqual([])
      })
    })

    test('who lost a lane cannot settle what stands behind the message that another has taken over', async () => {
      const place = await placeWith(laned)
      const [slow, quick] = [opened(place), opened(place)]
      for (const label of ['k1', 'k2']) await slow.send(work, message(label, 'k'))
      const stalled = await receiving(slow, 3000)
      const [, second] = await taken(stalled, 2)
      await stalled.close()
      expect((await next(await receiving(quick))).message.id).toBe('k1')
      const settling = slow.settle(second ?? expect.unreachable('Two came.'), { kind: 'complete' })
      await expect(settling).rejects.toMatchObject({ code: 'hold-lost' })
    })

    test('sends stay in the order of their calls, also when nobody waits for each answer', async () => {
      const place = await placeWith(plain)
      const transport = opened(place)
      const labels = Array.from({ length: 2500 }, (_, index) => `m${index}`)
      await Promise.all(labels.map((label) => transport.send(work, message(label))))
      const { messages } = await transport.browse(work, { limit: 2500 })
      expect(messages.map(({ message: { id } }) => id)).toEqual(labels)
    })

    test('lanes stay in order and are never in two hands, with many consumers, senders and retries', async () => {
      const place = await placeWith(laned)
      const [keys, each] = [8, 25]
      const senders = Array.from({ length: keys }, async (_, key) => {
        const transport = opened(place)
        for (let index = 0; index < each; index++) await transport.send(work, message(`${key}-${index}`, `k${key}`))
      })
      const done = new Map<string, number[]>()
      const busy = new Set<string>()
      let open = keys * each
      let overlaps = 0
      // A receiver that was closed behind the test answers at once, and a loop without an end would let no timer run.
      const deadline = performance.now() + 3 * minute
      async function handle(transport: Transport, delivery: Delivery, consumer: number): Promise<void> {
        const { lane = '', message: handled, turns } = delivery
        const index = Number(handled.id?.split('-')[1])
        if (busy.has(lane)) overlaps++
        busy.add(lane)
        await new Promise(setImmediate)
        busy.delete(lane)
        if (turns === 0 && (index + consumer) % 5 === 0) return transport.settle(delivery, { kind: 'retry', delay: 5 })
        done.set(lane, [...(done.get(lane) ?? []), index])
        open--
        return transport.settle(delivery, { kind: 'complete' })
      }
      const consumers = Array.from({ length: 4 }, async (_, consumer) => {
        const transport = opened(place, { pollEvery: '100ms' })
        const receiver = await transport.receive(work, { prefetch: 7, hold: minute })
        while (open > 0 && overlaps === 0 && performance.now() < deadline)
          for (const delivery of await receiver.take(1, 200)) await handle(transport, delivery, consumer)
      })
      await Promise.all([...senders, ...consumers])
      const inOrder = Array.from({ length: each }, (_, index) => index)
      expect([open, overlaps]).toEqual([0, 0])
      expect([...done.values()]).toEqual(Array.from({ length: keys }, () => inOrder))
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

    describe('trouble', () => {
      test('connections that the server ends are made anew, and what is held can be settled', async () => {
        const place = await placeWith(plain)
        const transport = opened(place)
        const receiver = await receiving(transport)
        await transport.send(work, message('a'))
        const held = await next(receiver)
        await place.barely((client) =>
          client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'redrive'"),
        )
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

      test('a lock on the tables refuses a send, which then certainly wrote nothing', async () => {
        const place = await placeWith(plain)
        const transport = opened(place)
        await place.barely(async (client) => {
          await client.query('BEGIN')
          await client.query(`LOCK TABLE ${place.schema}.contents IN ACCESS EXCLUSIVE MODE`)
          await expect(transport.send(work, message('a'))).rejects.toMatchObject({ code: 'refused' })
          await client.query('ROLLBACK')
        })
        expect(await transport.measure(work)).toMatchObject({ retained: 0 })
      })

      test('no error quotes a message or the password', async () => {
        const place = await placeWith(plain)
        await place.barely((client) =>
          client.query(`ALTER TABLE ${place.schema}.contents ADD CHECK (envelope NOT LIKE '%canary%')`),
        )
        const failed = await opened(place)
          .send(work, message('canary'))
          .catch((error) => error)
        expect(failed).toMatchObject({ code: 'refused' })
        const url = new URL(broker.url)
        Object.assign(url, { password: 'hunter2', pathname: '/nowhere' })
        const unreached = await opened(place, { url: url.href })
          .measure(work)
          .catch((error) => error)
        expect(unreached).toMatchObject({ code: 'access-denied' })
        const told = [failed, unreached].map((error) => `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).join()
        expect(told).not.toMatch(/canary|hunter2/)
      })
    })

    test('a server that says nothing is waited for by no verb, nor by a close', async () => {
      const place = await placeWith(plain)
      const proxy = await tcpProxy(Number(new URL(broker.url).port))
      onTestFinished(() => proxy.close())
      const url = new URL(broker.url)
      url.port = String(proxy.port)
      const transport = opened(place, { url: url.href, connectWithin: '12s', answerWithin: '12s' })
      await transport.send(work, message('a'))
      const delivery = await next(await receiving(transport))
      proxy.silence()
      const silent = { code: expect.stringMatching(/unsure|unreachable/) }
      const verbs = [
        transport.settle(delivery, { kind: 'complete' }),
        transport.send(work, message('b')),
        transport.measure(work),
      ]
      await Promise.all(verbs.map((verb) => expect(verb).rejects.toMatchObject(silent)))
      await transport.close()
    })

    test('letters that are moved together each have their own end, and their bodies as they were', async () => {
      const place = await placeWith(plain, deadLetters)
      const transport = opened(place)
      const large: Message = { id: 'large', body: new Uint8Array(100_000).map((_, at) => (at * 7919) % 251), headers: [] }
      for (const each of [message('small'), large, message('lost'), message('nowhere')]) await transport.send(work, each)
      const [small, big, lost, nowhere] = (await (await receiving(transport)).take(4, minute)) as [
        Delivery,
        Delivery,
        Delivery,
        Delivery,
      ]
      await place.barely((client) =>
        client.query(`UPDATE ${place.schema}.leased SET deliveries = deliveries + 1 WHERE id = $1`, [lost.position]),
      )
      const moves = [small, big, lost].map((delivery) =>
        transport.settle(delivery, { kind: 'move', to: deadLetters.address, message: delivery.message }),
      )
      const astray = transport.settle(nowhere, { kind: 'move', to: { name: 'no such channel' }, message: nowhere.message })
      expect((await Promise.allSettled([...moves, astray])).map(codeOf)).toEqual(['done', 'done', 'hold-lost', 'unknown-channel'])
      const { messages } = await transport.browse(deadLetters.address, { limit: 10 })
      expect(messages.map(({ message: { id, body } }) => [id, Buffer.from(body ?? [])])).toEqual([
        ['small', Buffer.from('small')],
        ['large', Buffer.from(large.body ?? [])],
      ])
      expect(await transport.measure(work)).toMatchObject({ retained: 2 })
    })

    test('letters out of lanes and letters that stood in none are moved together', async () => {
      const inLanes: WantedChannel = { address: { name: 'in-lanes' }, role: 'work', lanes: true }
      const place = await placeWith(plain, inLanes, deadLetters)
      const transport = opened(place)
      await transport.send(work, message('plain'))
      for (const label of ['first', 'second']) await transport.send(inLanes.address, message(label, 'key'))
      const lane = await transport.receive(inLanes.address, { prefetch: 1, hold: 10 * minute })
      const held = [await next(await receiving(transport)), await next(lane)]
      await Promise.all(
        held.map((delivery) => transport.settle(delivery, { kind: 'move', to: deadLetters.address, message: delivery.message })),
      )
      const { messages } = await transport.browse(deadLetters.address, { limit: 10 })
      expect(messages.map(({ message: { id } }) => id).sort()).toEqual(['first', 'plain'])
      expect((await next(lane)).message.id).toBe('second')
    })

    describe('provisioning', () => {
      test('by many at the same time makes everything once', async () => {
        const place = placeOn(broker)
        await Promise.all(Array.from({ length: 6 }, () => place.provision(plain)))
        const names = await place.barely((client) => client.query(`SELECT name FROM ${place.schema}.channels`))
        expect(names.rows).toEqual([{ name: 'work' }])
      })

      test('brings a schema of an older version up to date, with the messages that it holds', async () => {
        const place = await placeWith(plain, deadLetters)
        const before = opened(place)
        await before.send(work, message('held'))
        const held = await next(await receiving(before))
        await before.send(work, message('waiting'))
        await place.barely((client) => client.query(`SET search_path TO ${place.schema}; ${firstVersion}`))
        await place.provision(plain)
        await before.settle(held, { kind: 'move', to: deadLetters.address, message: held.message })
        const transport = opened(place)
        const waiting = await next(await receiving(transport))
        expect(waiting.message.id).toBe('waiting')
        await transport.settle(waiting, { kind: 'move', to: deadLetters.address, message: waiting.message })
        expect(await transport.measure(deadLetters.address)).toMatchObject({ retained: 2 })
        expect(await transport.measure(work)).toMatchObject({ retained: 0 })
        const rights = `SELECT has_table_privilege('pg_monitor', '${place.schema}.leased', 'DELETE') AS given`
        expect((await place.barely((client) => client.query(rights))).rows).toEqual([{ given: true }])
        const vacuumed = `SELECT relname FROM pg_class WHERE relnamespace = '${place.schema}'::regnamespace
          AND 'autovacuum_vacuum_cost_limit=2000' = ANY (reloptions) ORDER BY relname`
        const { rows } = await place.barely((client) => client.query(vacuumed))
        expect(rows.map(({ relname }) => relname)).toEqual(['contents', 'leased', 'queue'])
      })

      test('refuses tables of a newer version, and leaves them as they are', async () => {
        const place = await placeWith(plain)
        await place.barely((client) => client.query(`UPDATE ${place.schema}.schema_version SET version = 99`))
        await expect(place.provision(plain)).rejects.toMatchObject({ code: 'store-newer' })
        await expect(opened(place).provision({ channels: [plain] }, 'check')).rejects.toMatchObject({ code: 'store-newer' })
      })

      test('warns of a server that confirms what it may lose, and only then', async () => {
        const place = await placeWith(plain)
        const check = (transport: Transport) => transport.provision({ channels: [plain] }, 'check')
        const losing = `${broker.url}?options=${encodeURIComponent('-c synchronous_commit=off')}`
        expect(await check(opened(place, { url: losing }))).toMatchObject([
          { severity: 'warning', what: 'synchronous-commit-off' },
        ])
        expect(await check(opened(place))).toEqual([])
      })
    })
  })
})
