import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { createTopic, endSessionsOf, recordsIn } from '../../../test/brokers/kafka.ts'
import { committedOf, produce } from '../../../test/brokers/kafka-observer.ts'
import { kafkaVersions } from '../../../test/brokers/kafka-subjects.ts'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { taken } from '../../../test/taken.ts'
import type { Message } from '../../core/message.ts'
import type { Delivery, Transport } from '../seam.ts'
import { type KafkaOptions, kafka } from './kafka.ts'

/** Nothing takes this long unless it never comes. */
const patience = 100_000
const opened: Transport[] = []
let names = 0

function uniqueName(): string {
  return `kafka-test-${process.pid}-${++names}`
}

function open(broker: Broker, groupId: string, options: Partial<KafkaOptions> = {}): Transport {
  const transport = kafka({ bootstrapServers: broker.url, groupId, heartbeat: '100ms', sessionTimeout: '2m', ...options })
  opened.push(transport)
  return transport
}

function message(body: string, rest: Partial<Message> = {}): Message {
  return { body: Buffer.from(body), headers: [], ...rest }
}

function bodyOf(delivery: Delivery): string {
  return Buffer.from(delivery.message.body ?? []).toString()
}

function complete(transport: Transport, deliveries: readonly Delivery[]): Promise<unknown> {
  return Promise.all(deliveries.map((delivery) => transport.settle(delivery, { kind: 'complete' })))
}

const receiving = { prefetch: 100, hold: 30_000 }
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`)

function onKafka(broker: Broker): void {
  describe('a group', () => {
    test('shares the partitions, and what moves is not suspected', async () => {
      const name = uniqueName()
      await createTopic(broker, name, 4)
      const [one, two] = [open(broker, name), open(broker, name)]
      const first = await one.receive({ name }, receiving)
      for (const partition of [0, 1, 2, 3]) await produce(broker, name, { value: `p${partition}`, partition })
      const held = await taken(first, 4)
      const second = await two.receive({ name }, receiving)
      const moved = await taken(second, 2)
      const lost = held.filter(({ hold }) => hold.signal.aborted)
      expect(moved.map(bodyOf).sort()).toEqual(lost.map(bodyOf).sort())
      expect(moved.map(({ suspect, turns }) => [suspect, turns])).toEqual([
        [false, 0],
        [false, 0],
      ])
      for (const delivery of lost)
        await expect(one.settle(delivery, { kind: 'complete' })).rejects.toMatchObject({ code: 'hold-lost' })
      await complete(two, moved)
      await complete(
        one,
        held.filter((delivery) => !lost.includes(delivery)),
      )
      for (const partition of [0, 1, 2, 3]) expect(await committedOf(broker, name, name, partition)).toBe(1n)
    })

    test('that was closed is left when what it stayed for has moved to another member', async () => {
      const name = uniqueName()
      await createTopic(broker, name, 2)
      const [one, two] = [open(broker, name), open(broker, name)]
      const first = await one.receive({ name }, receiving)
      // Of two partitions the second one moves.
      await produce(broker, name, { value: 'held', partition: 1 })
      const [held] = await taken(first, 1)
      await first.close()
      const second = await two.receive({ name }, receiving)
      expect((await taken(second, 1)).map(bodyOf)).toEqual(['held'])
      expect(held?.hold.signal.aborted).toBe(true)
      await produce(broker, name, { value: 'free', partition: 0 })
      expect((await taken(second, 1)).map(bodyOf)).toEqual(['free'])
    })

    test('that members join and leave all the time loses nothing and repeats nothing that was completed', async () => {
      const name = uniqueName()
      await createTopic(broker, name, 6)
      const steady = open(broker, name)
      const texts = numbered(600)
      await Promise.all(texts.map((text, index) => steady.send({ name }, message(text, { key: `k${index % 40}` }))))
      const completed: string[] = []
      const consume = async (transport: Transport, until: () => boolean): Promise<void> => {
        const receiver = await transport.receive({ name }, receiving)
        while (!until()) {
          expect(receiver.lost.aborted).toBe(false)
          for (const delivery of await receiver.take(5, 50)) {
            await transport.settle(delivery, { kind: 'complete' }).then(
              () => completed.push(bodyOf(delivery)),
              (error) => expect(error).toMatchObject({ code: 'hold-lost' }),
            )
          }
        }
        await receiver.close()
      }
      const isOver = (): boolean => completed.length >= texts.length
      const staying = consume(steady, isOver)
      for (let round = 0; round < 6; round++) {
        const passing = open(broker, name)
        const before = completed.length
        await consume(passing, () => isOver() || completed.length >= before + 40)
        await passing.close()
      }
      await staying
      expect(completed.toSorted()).toEqual(texts.toSorted())
    })

    test('whose members are not ours is not joined, and says why', async () => {
      const name = uniqueName()
      await createTopic(broker, name)
      const { Consumer, stringDeserializers } = await import('@platformatic/kafka')
      const foreign = new Consumer({
        clientId: 'foreign',
        groupId: name,
        bootstrapBrokers: [broker.url],
        deserializers: stringDeserializers,
      })
      await foreign.consume({ topics: [name] })
      const joining = open(broker, name).receive({ name }, receiving)
      await expect(joining).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining('not consumers of Redrive'),
      })
      await foreign.close(true)
    })

    test('a member whose session is over has lost everything, and nothing of it is committed afterwards', async () => {
      const name = uniqueName()
      await createTopic(broker, name)
      const sleeper = open(broker, name, { clientId: name })
      await produce(broker, name, { value: 'a' })
      const receiver = await sleeper.receive({ name }, receiving)
      const [stale] = await taken(receiver, 1)
      await endSessionsOf(broker, name, name)
      const heir = open(broker, name)
      const [again] = await taken(await heir.receive({ name }, receiving), 1)
      expect([again && bodyOf(again), again?.suspect]).toEqual(['a', true])
      await expect(sleeper.settle(stale as Delivery, { kind: 'complete' })).rejects.toMatchObject({ code: 'hold-lost' })
      expect(await committedOf(broker, name, name)).toBe(0n)
      await vi.waitFor(() => expect(receiver.lost.aborted).toBe(true), patience)
    })
  })

  describe('order by key', () => {
    test('a record that waits in its place still does for the next member, and its key with it', async () => {
      const name = uniqueName()
      await createTopic(broker, name)
      const first = open(broker, name)
      for (const value of ['a1', 'b1', 'a2']) await produce(broker, name, { key: value.slice(0, 1), value })
      const receiver = await first.receive({ name }, receiving)
      const [head] = await taken(receiver, 1)
      const due = Date.now() + 1500
      await first.settle(head as Delivery, { kind: 'retry', delay: 1500 })
      await first.close()
      const second = open(broker, name)
      const heir = await second.receive({ name }, receiving)
      const seen: string[] = []
      while (seen.length < 3) {
        const batch = await heir.take(10, patience)
        if (batch.some((delivery) => bodyOf(delivery).startsWith('a'))) expect(Date.now()).toBeGreaterThanOrEqual(due)
        seen.push(...batch.map((delivery) => `${bodyOf(delivery)} ${delivery.turns}`))
        await complete(second, batch)
      }
      expect(seen.filter((each) => each.startsWith('a'))).toEqual(['a1 1', 'a2 0'])
      expect(seen).toContain('b1 0')
    })
  })

  describe('messages', () => {
    test('a key goes where Java puts it, and a foreign record comes as it is', async () => {
      const name = uniqueName()
      await createTopic(broker, name, 10)
      const transport = open(broker, name)
      // What Kafka's own partitioner gives for these keys and ten partitions.
      const { murmur2 } = await import('@platformatic/kafka')
      await transport.send({ name }, message('x', { key: 'customer-7' }))
      const [record] = await recordsIn(broker, name)
      expect(record?.partition).toBe((murmur2('customer-7') & 0x7fffffff) % 10)
      await produce(broker, name, {
        key: 'k',
        value: 'foreign',
        headers: { correlation_id: 'c-1', event_type: 'order', other: 'x' },
      })
      const receiver = await transport.receive({ name }, receiving)
      const foreign = (await taken(receiver, 2)).find((delivery) => bodyOf(delivery) === 'foreign')
      expect(foreign?.message).toMatchObject({ key: 'k', correlationId: 'c-1', type: 'order' })
      expect(foreign?.message.headers.map(([header]) => header)).toEqual(['correlation_id', 'event_type', 'other'])
    })

    test('what is too large for its topic is refused, and those sent beside it are not', async () => {
      const name = uniqueName()
      await createTopic(broker, name, 1, { 'max.message.bytes': '20000' })
      const transport = open(broker, name)
      const bodies = ['small', 'x'.repeat(30_000), 'also small']
      const outcomes = await Promise.allSettled(bodies.map((body) => transport.send({ name }, message(body))))
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(outcomes[1]).toMatchObject({ reason: { code: 'too-large' } })
      expect((await recordsIn(broker, name)).map(({ value }) => String(value))).toEqual(['small', 'also small'])
    })

    test('a send to one group reaches no other', async () => {
      const name = uniqueName()
      const [mine, theirs] = [`${name}-a`, `${name}-b`]
      const [a, b] = [open(broker, mine), open(broker, theirs)]
      for (const transport of [a, b]) await transport.provision({ channels: [{ address: { name }, role: 'work' }] }, 'apply')
      const [receiverA, receiverB] = [await a.receive({ name }, receiving), await b.receive({ name }, receiving)]
      await a.send({ name, group: mine }, message('for a'))
      await a.send({ name }, message('for all'))
      expect((await taken(receiverA, 2)).map(bodyOf).sort()).toEqual(['for a', 'for all'])
      expect((await taken(receiverB, 1)).map(bodyOf)).toEqual(['for all'])
    })
  })

  describe('looking', () => {
    test('pages go over all partitions, oldest first, and nobody is disturbed', async () => {
      const name = uniqueName()
      await createTopic(broker, name, 3)
      const texts = numbered(25)
      for (const [index, value] of texts.entries()) await produce(broker, name, { value, partition: index % 3 })
      const transport = open(broker, name)
      const shown: string[] = []
      for (let after: string | undefined, pages = 0; pages < 20; pages++) {
        const page = await transport.browse({ name }, after === undefined ? { limit: 4 } : { limit: 4, after })
        shown.push(...page.messages.map(({ message: { body } }) => Buffer.from(body ?? []).toString()))
        after = page.next
        if (after === undefined) break
      }
      expect(shown.toSorted()).toEqual(texts.toSorted())
      for (const part of [0, 1, 2]) {
        const ofPart = (all: readonly string[]): string[] => all.filter((text) => Number(text.slice(1)) % 3 === part)
        expect(ofPart(shown)).toEqual(ofPart(texts))
      }
      expect(await committedOf(broker, name, name)).toBe(-1n)
    })

    test('a place behind the end is one of a topic that was deleted and made anew: it is read from its beginning', async () => {
      const name = uniqueName()
      await createTopic(broker, name)
      for (const value of numbered(3)) await produce(broker, name, { value })
      const { messages } = await open(broker, name).browse({ name }, { limit: 10, after: '0:500' })
      expect(messages.map(({ message: { body } }) => Buffer.from(body ?? []).toString())).toEqual(numbered(3))
    })

    test('a count tells what is retained and what is pending beyond the cursor, completions out of order included', async () => {
      const name = uniqueName()
      await createTopic(broker, name)
      const transport = open(broker, name)
      for (const value of numbered(5)) await produce(broker, name, { value })
      const deliveries = await taken(await transport.receive({ name }, receiving), 5)
      await complete(transport, deliveries.slice(2, 4))
      expect(await transport.measure({ name })).toMatchObject({ retained: 5, pending: 3 })
    })

    test('a count tells for how long the topic keeps a record, and nothing where it keeps it for ever', async () => {
      const name = uniqueName()
      await createTopic(broker, name, 1, { 'retention.ms': '604800000' })
      await createTopic(broker, `${name}.for-ever`, 1, { 'retention.ms': '-1' })
      await createTopic(broker, `${name}.compact`, 1, { 'cleanup.policy': 'compact', 'retention.ms': '1000' })
      const transport = open(broker, name)
      expect(await transport.measure({ name })).toMatchObject({ keepsFor: 604_800_000 })
      for (const topic of [`${name}.for-ever`, `${name}.compact`]) {
        expect(await transport.measure({ name: topic })).not.toHaveProperty('keepsFor')
      }
    })
  })

  describe('topology', () => {
    test('a dead-letter topic that forgets, compacts or is too small is told', async () => {
      const name = uniqueName()
      await createTopic(broker, name, 1, { 'retention.ms': '604800000', 'max.message.bytes': '1000' })
      await createTopic(broker, `${name}.compact`, 1, { 'cleanup.policy': 'compact' })
      const transport = open(broker, name)
      const grave = (topic: string) =>
        transport.provision({ channels: [{ address: { name: topic }, role: 'dead-letter' }] }, 'check')
      const found = (await grave(name)).map(({ what, severity }) => `${severity} ${what}`)
      expect(found).toEqual(['warning letters-expire', 'warning letters-too-large', 'warning one-replica'])
      expect((await grave(name))[0]?.message).toContain('after 7d')
      expect(await grave(`${name}.compact`)).toContainEqual(expect.objectContaining({ severity: 'fatal', what: 'compacted' }))
    })

    test('what is created keeps dead letters for ever, and is found faultless but for its single replica', async () => {
      const name = uniqueName()
      const transport = open(broker, name, { partitions: 2 })
      const channels = [
        { address: { name }, role: 'work', maxRetryDelay: 20_000 } as const,
        { address: { name: `${name}.dlq` }, role: 'dead-letter' } as const,
      ]
      const created = await transport.provision({ channels }, 'apply')
      expect(created.filter(({ severity }) => severity === 'created')).toHaveLength(6)
      const checked = await transport.provision({ channels }, 'check')
      expect(new Set(checked.map(({ what }) => what))).toEqual(new Set(['one-replica']))
    })

    test('a name that is none is refused before anything is created', async () => {
      const transport = open(broker, uniqueName())
      const channels = [{ address: { name: 'no topic/name' }, role: 'work' } as const]
      await expect(transport.provision({ channels }, 'apply')).rejects.toMatchObject({ code: 'bad-option' })
    })
  })
}

await onBrokers('kafka', kafkaVersions, (broker, version) => {
  describe(`Kafka ${version}`, { timeout: 360_000 }, () => onKafka(broker))
  afterAll(() => Promise.all(opened.map((transport) => transport.close())))
})
