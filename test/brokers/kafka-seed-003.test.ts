import { afterAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Broker } from '../../scripts/brokers/start.ts'
import { PermanentError } from '../../src/core/tagged-errors.ts'
import type { ChannelOptions } from '../../src/runtime/channel-options.ts'
import { text } from '../../src/runtime/codec.ts'
import { type Consumer, createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import type { Logger } from '../../src/runtime/logger.ts'
import { type KafkaOptions, kafka } from '../../src/transports/kafka/kafka.ts'
import { createTopic, deleteTopic, recordsIn, type SeenRecord } from './kafka.ts'
import { committedOf, produce } from './kafka-observer.ts'
import { kafkaVersions } from './kafka-subjects.ts'
import { onBrokers } from './on-brokers.ts'

/** Seed 003's JSON Schema, to the letter but for its descriptions. */
const dlqPayload = z.fromJSONSchema({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'DLQPayload',
  type: 'object',
  required: [
    'original_topic',
    'original_message',
    'failure_reason',
    'failure_timestamp',
    'correlation_id',
    'retry_count',
    'error_type',
  ],
  properties: {
    original_topic: { type: 'string' },
    original_message: {
      type: 'object',
      properties: {
        key: { type: ['string', 'null'] },
        value: { type: 'string' },
        offset: { type: 'integer' },
        partition: { type: 'integer' },
      },
      required: ['value', 'offset', 'partition'],
    },
    failure_reason: { type: 'string' },
    failure_timestamp: { type: 'string', format: 'date-time' },
    correlation_id: { type: 'string', format: 'uuid' },
    retry_count: { type: 'integer', minimum: 0 },
    error_type: { type: 'string' },
  },
})

/** Nothing takes this long unless it never comes. */
const patience = 100_000
const anyUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const isoWithOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+\+00:00$/
/** max_retries 3: in process, at once. */
const threeRetries: ChannelOptions = { dialect: 'onex', retry: { immediate: 3, delayed: { retries: 0 } }, breaker: false }
const Order = defineMessage<string>('order', undefined, { codec: text })

interface LogLine {
  readonly level: string
  readonly fields: object
  readonly message: string
}

interface Stage {
  readonly topic: string
  readonly group: string
  readonly dlq: string
  readonly runs: string[]
  readonly logs: LogLine[]
  readonly consumer: Consumer
  put(...records: Parameters<typeof produce>[2][]): Promise<void>
  letters(count: number): Promise<readonly SeenRecord[]>
}

let stages = 0
const running: { stop(): Promise<void> }[] = []

async function open(
  broker: Broker,
  handle: (value: string) => void,
  { kafkaOptions = {}, channel = threeRetries }: { kafkaOptions?: Partial<KafkaOptions>; channel?: ChannelOptions } = {},
): Promise<Stage> {
  const name = `seed-003-${process.pid}-${++stages}`
  const [topic, group] = [`dev.${name}.order.created.v1`, name]
  const runs: string[] = []
  const logs: LogLine[] = []
  await createTopic(broker, topic)
  const transport = kafka({ bootstrap_servers: broker.url, group_id: group, partitions: 1, heartbeat: '200ms', ...kafkaOptions })
  const consumer = createConsumer({ transport, service: 'orders', environment: 'dev', provision: 'apply', logger: listen(logs) })
  consumer.channel(topic, channel).on(Order, (value) => {
    runs.push(value)
    handle(value)
  })
  running.push({ stop: () => consumer.stop().then(() => transport.close()) })
  await consumer.start()
  const dlq = kafkaOptions.dead_letter_topic ?? `${group}.dlq`
  return {
    topic,
    group,
    dlq,
    runs,
    logs,
    consumer,
    put: (...records) => produce(broker, topic, ...records),
    letters: (count) =>
      vi.waitFor(async () => {
        const found = await recordsIn(broker, dlq)
        expect(found).toHaveLength(count)
        return found
      }, patience),
  }
}

function listen(logs: LogLine[]): Logger {
  const at =
    (level: string) =>
    (fields: object, message: string): void =>
      void logs.push({ level, fields, message })
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    child: () => logger,
  }
  return logger
}

function payloadOf(record: SeenRecord | undefined): Record<string, unknown> & { original_message: Record<string, unknown> } {
  return JSON.parse(String(record?.value))
}

/** The seed's own headers, without ours. */
function headersOf(record: SeenRecord | undefined): Record<string, string> {
  const own = (record?.headers ?? []).filter(([name]) => !name.startsWith('redrive-'))
  return Object.fromEntries(own.map(([name, value]) => [name, value.toString()]))
}

class InfraConnectionError extends Error {
  override readonly name = 'InfraConnectionError'
}

const failing = (): never => {
  throw new InfraConnectionError('The database is unavailable')
}

function onKafka(broker: Broker): void {
  test('a message whose retries are used up is in "{group_id}.dlq", as the JSON Schema says', async () => {
    const { topic, put, letters, runs } = await open(broker, failing)
    await put({
      key: 'order-12345',
      value: '{"total": 99.99}',
      headers: { correlation_id: '550e8400-e29b-41d4-a716-446655440000' },
    })
    const [letter] = await letters(1)
    expect(dlqPayload.safeParse(payloadOf(letter)).error).toBeUndefined()
    expect(payloadOf(letter)).toMatchObject({
      original_topic: topic,
      original_message: { key: 'order-12345', value: '{"total": 99.99}', offset: 0, partition: 0 },
      failure_reason: 'The database is unavailable',
      failure_timestamp: expect.stringMatching(isoWithOffset),
      correlation_id: '550e8400-e29b-41d4-a716-446655440000',
      retry_count: 3,
      error_type: 'InfraConnectionError',
    })
    expect(letter?.key).toBe('order-12345')
    expect(runs).toHaveLength(4)
  })

  test('the headers are those of the seed, and retry_count is that of the letter itself', async () => {
    const { topic, group, put, letters } = await open(broker, failing)
    await put({ value: 'x', headers: { correlation_id: '550e8400-e29b-41d4-a716-446655440000' } })
    const [letter] = await letters(1)
    const headers = headersOf(letter)
    expect(Object.entries(headers)).toEqual([
      ['content_type', 'application/json'],
      ['correlation_id', '550e8400-e29b-41d4-a716-446655440000'],
      ['message_id', expect.stringMatching(anyUuid)],
      ['timestamp', expect.stringMatching(isoWithOffset)],
      ['source', `dev.${group}`],
      ['event_type', 'dlq_message'],
      ['schema_version', '1.0.0'],
      ['priority', 'normal'],
      ['retry_count', '0'],
      ['max_retries', '3'],
      ['original_topic', topic],
      ['failure_reason', 'The database is unavailable'],
      ['failure_timestamp', payloadOf(letter)['failure_timestamp']],
    ])
  })

  test('dead_letter_topic is used where it is given, and the offset is committed after the letter', async () => {
    const dlq = `my-service-${process.pid}.dlq`
    const { topic, group, put, letters } = await open(broker, failing, { kafkaOptions: { dead_letter_topic: dlq } })
    await put({ value: 'a' }, { value: 'b' })
    await letters(2)
    await vi.waitFor(async () => expect(await committedOf(broker, group, topic)).toBe(2n), patience)
  })

  test('a permanent failure goes at once', async () => {
    const { put, letters, runs } = await open(broker, () => {
      throw new PermanentError('The account is closed')
    })
    await put({ value: 'x' })
    expect(payloadOf((await letters(1))[0])['retry_count']).toBe(0)
    expect(runs).toHaveLength(1)
  })

  test('a tombstone is an empty value with a mark, and a correlation id that is no UUID stands beside one that is', async () => {
    const { put, letters } = await open(broker, failing)
    await put({ key: 'gone', value: null, headers: { correlation_id: 'order 7' } })
    const payload = payloadOf((await letters(1))[0])
    expect(dlqPayload.safeParse(payload).error).toBeUndefined()
    expect(payload).toMatchObject({
      original_message: { key: 'gone', value: '', value_is_null: true },
      correlation_id: expect.stringMatching(anyUuid),
      original_correlation_id: 'order 7',
    })
  })

  test('bytes that nobody can decode are dead-lettered once, whole, and the next message of the partition is processed', async () => {
    const { put, letters, runs, consumer } = await open(broker, () => {})
    const undecodable = Buffer.from([0xc3, 0x28, 0x00, 0xff])
    await put({ value: undecodable }, { value: 'good' })
    const [letter] = await letters(1)
    expect(payloadOf(letter).original_message['value_base64']).toBe(undecodable.toString('base64'))
    await vi.waitFor(() => expect(runs).toEqual(['good']), patience)
    await consumer.stop()
    expect(await letters(1)).toHaveLength(1)
  })

  test('a poison message does not keep its partition waiting', async () => {
    const { put, letters, runs } = await open(broker, (value) => {
      if (value === 'poison') failing()
    })
    const healthy = Array.from({ length: 50 }, (_, index) => `healthy-${index}`)
    await put({ value: 'poison' }, ...healthy.map((value) => ({ value })))
    await letters(1)
    await vi.waitFor(() => expect(runs.filter((value) => value !== 'poison')).toHaveLength(50), patience)
  })

  test('the log lines and metrics of the seed are told', async () => {
    const { topic, dlq, put, letters, logs, consumer } = await open(broker, failing)
    await put({ value: 'x', headers: { correlation_id: '550e8400-e29b-41d4-a716-446655440000' } })
    await letters(1)
    await vi.waitFor(
      () =>
        expect(logs).toContainEqual({
          level: 'info',
          message: `Published failed message to DLQ: ${dlq}`,
          fields: expect.objectContaining({
            original_topic: topic,
            dlq_topic: dlq,
            correlation_id: '550e8400-e29b-41d4-a716-446655440000',
            error_type: 'InfraConnectionError',
          }),
        }),
      patience,
    )
    const metrics = new Map(consumer.metrics().map(({ name, points }) => [name, points[0]?.value]))
    expect(metrics.get('dlq_messages_total')).toBe(1)
    expect(metrics.get('dlq_publish_failures_total')).toBe(0)
  })

  test('while the dead-letter topic is gone the message is held, uncommitted, and healthy ones pass; then it arrives once', async () => {
    const { topic, group, dlq, put, letters, logs, runs } = await open(broker, (value) => {
      if (value === 'poison') failing()
    })
    await deleteTopic(broker, dlq)
    await put({ value: 'poison' }, { value: 'healthy' })
    await vi.waitFor(
      () => expect(logs.map(({ message }) => message)).toContain(`Failed to publish to DLQ topic ${dlq}`),
      patience,
    )
    await vi.waitFor(() => expect(runs).toContain('healthy'), patience)
    expect(await committedOf(broker, group, topic)).toBe(0n)
    await createTopic(broker, dlq)
    expect(payloadOf((await letters(1))[0]).original_message['value']).toBe('poison')
    await vi.waitFor(async () => expect(await committedOf(broker, group, topic)).toBe(2n), patience)
  })
}

await onBrokers('kafka', kafkaVersions, (broker, version) => {
  describe(`seed 003 on Kafka ${version}`, { timeout: 360_000 }, () => onKafka(broker))
  afterAll(() => Promise.all(running.map(({ stop }) => stop())))
})
