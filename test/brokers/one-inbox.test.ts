import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import type { LedgerCounts } from '../../src/core/canary.ts'
import { textHeader } from '../../src/core/headers.ts'
import type { Message } from '../../src/core/message.ts'
import { PermanentError } from '../../src/core/tagged-errors.ts'
import type { ControlPlane, ReplayWishes } from '../../src/ops/control-plane.ts'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { text } from '../../src/runtime/codec.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import type { Handler } from '../../src/runtime/routes.ts'
import { kafka } from '../../src/transports/kafka/kafka.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { redis } from '../../src/transports/redis/redis.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { sqs } from '../../src/transports/sqs/sqs.ts'
import { openVault } from '../control/letters.fixture.ts'
import { until } from '../until.ts'
import { kafkaWritersForTests } from './foreign/kafka-writers.ts'
import { createTopic, recordsIn, type SeenRecord } from './kafka.ts'
import { type PlainRecord, produce } from './kafka-observer.ts'
import { kafkaVersions } from './kafka-subjects.ts'
import { onBrokers } from './on-brokers.ts'
import { placeOn } from './postgres.ts'
import { postgresVersions } from './postgres-subjects.ts'
import { createVhost } from './rabbitmq.ts'
import { rabbitmqVersions } from './rabbitmq-subjects.ts'
import { withClient } from './redis.ts'
import { redisVersions } from './redis-subjects.ts'
import { elasticmqVersions } from './sqs-subjects.ts'

const writers = kafkaWritersForTests()
const Anything = defineMessage<string>('anything', undefined, { codec: text })
/** Two Java programs start in it, on a machine that has other things to do. */
const patience = 600_000
const by = { actor: 'ana' }
/** As fast as it can: what is shown here is where letters go, and not how carefully. */
const wishes: ReplayWishes = { ...by, name: 'all of them', rate: 1000, canary: undefined, observe: 1 }

const [invoices, archived, orders] = ['invoices', 'archived', 'orders']
const tenant = { tenant: 'acme' }
const forSpring: readonly PlainRecord[] = [
  { key: 'order-1', value: '{"order":1}', headers: tenant },
  { key: 'order-2', value: null, headers: tenant },
  { key: 'order-3', value: Buffer.from([0, 255, 1, 254]), headers: tenant, partition: 1 },
]
const forConnect: readonly PlainRecord[] = [
  { key: '"order-4"', value: 'no JSON', headers: tenant },
  { key: 'a key that is no JSON', value: null, headers: tenant, partition: 1 },
]
const forUs: readonly PlainRecord[] = [
  { key: 'order-5', value: 'refused', headers: tenant },
  { key: 'order-6', value: null, headers: tenant, partition: 1 },
]

await onBrokers('kafka', kafkaVersions, async (log) => {
  await onBrokers('rabbitmq', rabbitmqVersions.slice(0, 1), async (queue) => {
    await onBrokers('redis', redisVersions.slice(0, 1), async (streams) => {
      await onBrokers('postgres', postgresVersions, async (tables) => {
        await onBrokers('elasticmq', elasticmqVersions, (cloud) => inOneInbox({ log, queue, streams, tables, cloud }))
      })
    })
  })
})

type Connection = 'log' | 'queue' | 'streams' | 'tables' | 'cloud'

function inOneInbox({ log, queue, streams, tables, cloud }: Readonly<Record<Connection, Broker>>): void {
  if ('notRun' in writers) {
    test(writers.notRun, () => expect(process.env['CI']).toBeFalsy())
    return
  }
  test(
    'dead letters of Spring Kafka, Kafka Connect, our runtime, RabbitMQ, Redis, PostgreSQL and SQS stand in one inbox and go back to where they died',
    async () => {
      const vhost = await createVhost(queue)
      const place = placeOn(tables)
      const transports = {
        log: kafka({ bootstrapServers: log.url }),
        queue: rabbitmq({ url: vhost.url }),
        streams: redis({ url: streams.url }),
        tables: place.open(),
        cloud: sqs({ endpoint: cloud.url, pollFor: '1s' }),
      }
      onTestFinished(async () => void (await Promise.all(Object.values(transports).map((transport) => transport.close()))))
      await dieOnQueue(rabbitmq({ url: vhost.url }), 'parcels')
      await dieOnQueue(redis({ url: streams.url }), 'refunds')
      await dieOnQueue(place.open(), 'vouchers')
      await dieOnQueue(sqs({ endpoint: cloud.url, pollFor: '1s' }), 'returns')
      // Two Java programs start here, and nothing else answers quickly meanwhile.
      await Promise.all([dieInSpring(log), dieInConnect(log), dieWithUs(log)])

      const plane = openPlane(transports)
      await plane.start()
      await untilKept(plane, forSpring.length + forConnect.length + forUs.length + 4)

      // What is broken, and where?
      const { causes } = await plane.causes.list({ limit: 100 })
      expect(causes.map(({ title, total }) => `${total} × ${title}`).sort()).toEqual([
        '1 × IllegalArgumentException: an order that was taken back cannot be billed in bill',
        '1 × IllegalArgumentException: no JSON in deserialize',
        '1 × IllegalStateException: card declined for order <id> in bill',
        '1 × PermanentError: no such customer',
        '1 × PermanentError: no such customer',
        '1 × PermanentError: no such customer',
        '1 × PermanentError: no such customer',
        // It says "token", which seed 003 takes for a secret.
        '2 × JsonParseException: [REDACTED - potentially sensitive data]',
        '2 × PermanentError: no such customer',
      ])
      const { letters } = await plane.letters.find({ limit: 100 })
      const died = letters.map(({ dialect, channel, originGroup, key }) => [dialect, channel, originGroup, key])
      expect(died.sort()).toEqual([
        ['kafka-connect', archived, 'archive', '"order-4"'],
        ['kafka-connect', archived, 'archive', 'a key that is no JSON'],
        ['redrive', orders, 'shop', 'order-5'],
        ['redrive', orders, 'shop', 'order-6'],
        ['redrive', 'parcels', null, null],
        ['redrive', 'refunds', null, null],
        ['redrive', 'returns', null, null],
        ['redrive', 'vouchers', null, null],
        ['spring-kafka', invoices, 'billing', 'order-1'],
        ['spring-kafka', invoices, 'billing', 'order-2'],
        ['spring-kafka', invoices, 'billing', 'order-3'],
      ])

      // All of them at once, each to whoever gave it up, with the key that it had.
      const { replay } = await plane.replays.seal({ filter: 'state:open' }, wishes)
      await plane.replays.start(replay.id, by)
      await until('all of them are sent', async () => isSent((await plane.replays.show(replay.id)).counts), patience)
      await goneBack(log, invoices, forSpring)
      await goneBack(log, archived, forConnect)
      // Ours has topics for one group alone: nobody else who reads the orders sees them twice.
      expect(await processedByUs(log, forUs.length)).toEqual([
        ['order-5', 'refused'],
        ['order-6', null],
      ])
      expect(await recordsIn(log, orders)).toHaveLength(forUs.length)
      await vhost.barely(async (channel) => {
        const parcel = await channel.get('parcels', { noAck: true })
        expect(parcel && { body: String(parcel.content), tenant: parcel.properties.headers?.['tenant'] }).toEqual({
          body: 'one of parcels',
          tenant: 'acme',
        })
      })
      await withClient(streams.url, async (client) => {
        const [[, refund = []] = []] = await client.xrange('{redrive}:refunds', '-', '+')
        expect(refund).toContain('one of refunds')
        expect(refund.join()).toContain('"tenant","acme"')
      })
      const vouchers = () =>
        place.barely(async (client) => {
          const inChannel = `SELECT q.id FROM ${place.schema}.queue q JOIN ${place.schema}.channels c ON c.id = q.channel WHERE c.name = 'vouchers'`
          return (await client.query(`SELECT envelope, body FROM ${place.schema}.contents WHERE id IN (${inChannel})`)).rows
        })
      await until('it is back in PostgreSQL', async () => (await vouchers()).length > 0)
      const [voucher, ...more] = await vouchers()
      expect([String(voucher.body), more]).toEqual(['one of vouchers', []])
      expect(voucher.envelope).toContain('["tenant","acme"]')
      const receiver = await transports.cloud.receive({ name: 'returns' }, { prefetch: 1, hold: 30_000 })
      const returned: Message[] = []
      await until('it is back on SQS', async () => {
        returned.push(...(await receiver.take(1, 1000)).map(({ message }) => message))
        return returned.length > 0
      })
      expect(returned.map(({ body, headers }) => [String(body && Buffer.from(body)), textHeader(headers, 'tenant')])).toEqual([
        ['one of returns', 'acme'],
      ])
    },
    patience,
  )
}

function isSent({ planned, claimed }: LedgerCounts): boolean {
  return planned + claimed === 0
}

async function dieInSpring(broker: Broker): Promise<void> {
  if ('notRun' in writers) return
  await died(broker, invoices, `${invoices}-dlt`, forSpring, () => writers.spring(broker.url, invoices))
}

async function dieInConnect(broker: Broker): Promise<void> {
  if ('notRun' in writers) return
  await died(broker, archived, 'archive.dlq', forConnect, () => writers.connect(broker.url, archived, 'archive.dlq'))
}

async function dieWithUs(broker: Broker): Promise<void> {
  await died(broker, orders, 'shop.dlq', forUs, () => startShop(broker, refuse))
}

async function processedByUs(broker: Broker, count: number): Promise<readonly (readonly [string, string | null])[]> {
  const processed: [string, string | null][] = []
  const done = Promise.withResolvers<void>()
  const shop = await startShop(broker, (value, { message }) => {
    processed.push([String(message.key), message.body === null ? null : value])
    if (processed.length === count) done.resolve()
  })
  await done.promise
  await shop.stop()
  return processed.sort()
}

async function startShop(broker: Broker, handle: Handler<string>): Promise<{ stop(): Promise<void> }> {
  const transport = kafka({ bootstrapServers: broker.url, groupId: 'shop', heartbeat: '200ms' })
  const consumer = createConsumer({ transport, service: 'shop', version: '1.4.0', logger: false, provision: 'apply' })
  consumer.channel(orders, { deadLetter: 'shop.dlq' }).on(Anything, handle)
  await consumer.start()
  return {
    async stop() {
      await consumer.stop()
      await transport.close()
    },
  }
}

function refuse(): never {
  throw new PermanentError('no such customer')
}

/** Puts records into a topic, and lets somebody read it until as many letters lie in theirs. */
async function died(
  broker: Broker,
  topic: string,
  deadLetters: string,
  records: readonly PlainRecord[],
  read: () => Promise<{ stop(): Promise<void> }>,
): Promise<void> {
  await createTopic(broker, topic, 2)
  await createTopic(broker, deadLetters, 2)
  await produce(broker, topic, ...records)
  const reader = await read()
  await until('all their letters are written', async () => (await recordsIn(broker, deadLetters)).length === records.length)
  await reader.stop()
}

async function dieOnQueue(transport: Transport, name: string): Promise<void> {
  const consumer = createConsumer({ transport, service: 'shop', logger: false, provision: 'apply' })
  consumer.channel(name, { deadLetter: `dlq.${name}` }).on(Anything, refuse)
  await consumer.start()
  await transport.send({ name }, { id: `${name}-1`, body: Buffer.from(`one of ${name}`), headers: [['tenant', 'acme']] })
  await until('our letter is written', async () => (await transport.measure({ name: `dlq.${name}` })).retained === 1)
  await consumer.stop()
  await transport.close()
}

function openPlane(transports: Readonly<Record<Connection, Transport>>): ReturnType<typeof createControlPlane> {
  const { log, queue, streams, tables, cloud } = transports
  const followed = [`${invoices}-dlt`, 'archive.dlq', 'shop.dlq'].map((name) => ({ name }))
  const plane = createControlPlane({
    vault: openVault(),
    clock: systemClock,
    newId: newUuid,
    draw: randomBytes,
    sources: [
      ...followed.map((address) => ({ connection: 'log', transport: log, address, mode: 'follow' as const })),
      { connection: 'queue', transport: queue, address: { name: 'dlq.parcels' }, mode: 'collect' as const },
      { connection: 'streams', transport: streams, address: { name: 'dlq.refunds' }, mode: 'collect' as const },
      { connection: 'tables', transport: tables, address: { name: 'dlq.vouchers' }, mode: 'collect' as const },
      { connection: 'cloud', transport: cloud, address: { name: 'dlq.returns' }, mode: 'collect' as const },
    ],
    transportNamed: (name) => (Object.hasOwn(transports, name) ? transports[name as Connection] : undefined),
  })
  onTestFinished(() => plane.close())
  return plane
}

async function untilKept(plane: ControlPlane, letters: number): Promise<void> {
  await until(
    `${letters} letters are kept`,
    async () => (await plane.letters.find({ filter: 'state:open', limit: 100 })).letters.length === letters,
  )
}

/** Behind what was in the topic stands the same once more: keys, bytes and headers, and of the failure nothing. */
async function goneBack(broker: Broker, topic: string, records: readonly PlainRecord[]): Promise<void> {
  const offsets = new Map([0, 1].map((partition) => [partition, BigInt(inPartition(records, partition))]))
  await until('everything is back', async () => (await recordsIn(broker, topic, offsets)).length >= records.length)
  const again = await recordsIn(broker, topic, offsets)
  expect(again.map(asSent).sort(byKey)).toEqual(records.map(asProduced).sort(byKey))
}

interface Sent {
  readonly key: string | null | undefined
  readonly value: string | null
  readonly headers: readonly string[]
}

function asSent({ key, value, headers }: SeenRecord): Sent {
  const theirs = headers.filter(([name]) => !name.startsWith('redrive-'))
  return { key, value: value?.toString('hex') ?? null, headers: theirs.map(([name, bytes]) => `${name}: ${bytes}`) }
}

function asProduced({ key, value, headers = {} }: PlainRecord): Sent {
  const named = Object.entries(headers).map(([name, text]) => `${name}: ${text}`)
  return { key, value: value === null ? null : Buffer.from(value).toString('hex'), headers: named }
}

function byKey(one: Sent, other: Sent): number {
  return String(one.key).localeCompare(String(other.key))
}

function inPartition(records: readonly PlainRecord[], wanted: number): number {
  return records.filter(({ partition = 0 }) => partition === wanted).length
}
