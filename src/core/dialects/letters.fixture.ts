import type { Header, Message } from '../message.ts'
import type { FoundLetter, ReadFailure } from './reading.ts'

/** One letter of every dialect as its producer writes it, and what must be read from it. */
export interface WrittenLetter {
  readonly dialect: string
  readonly letter: FoundLetter
  readonly failure: ReadFailure
}

const encoder = new TextEncoder()

export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** A number in so many bytes, the highest first. */
export function bytesOf(value: bigint | number, length: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
  return bytes.slice(8 - length)
}

/** The fields of a protobuf: a number or a text each. */
export function protobuf(fields: readonly (readonly [number, bigint | string])[]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap(([field, value]) => {
      if (typeof value === 'bigint') return [...varint(BigInt(field) << 3n), ...varint(value)]
      const text = utf8(value)
      return [...varint((BigInt(field) << 3n) | 2n), ...varint(BigInt(text.length)), ...text]
    }),
  )
}

function varint(value: bigint): readonly number[] {
  return value < 0x80n ? [Number(value)] : [Number(value & 0x7fn) | 0x80, ...varint(value >> 7n)]
}

function row(dialect: string, channel: string, message: Partial<Message>, failure: ReadFailure): WrittenLetter {
  return { dialect, letter: { channel, message: { body: utf8('{"order_id":"12345"}'), headers: [], ...message } }, failure }
}

const at = Date.UTC(2024, 0, 15, 14, 32, 17, 456)
const iso = '2024-01-15T14:32:17.456Z'
const asBytes = (headers: readonly (readonly [string, string])[]): readonly Header[] =>
  headers.map(([name, value]) => [name, utf8(value)])
const native = (transport: string, properties: Readonly<Record<string, unknown>>): Partial<Message> => ({
  native: { transport, properties },
})
const json = (value: unknown): Partial<Message> => ({ body: utf8(JSON.stringify(value)) })

const javaStack =
  'com.acme.OutOfStock: no stock for item 88\n\tat com.acme.Stock.reserve(Stock.java:42)\n\tat org.springframework.Foo.bar(Foo.java:1)'

export const writtenLetters: readonly WrittenLetter[] = [
  row(
    'redrive',
    'orders.dead',
    {
      headers: [
        ['tenant', 'acme'],
        ['redrive-letter', 'letter-1'],
        ['redrive-reason', 'MaxDeliveryCountExceeded'],
        ['redrive-error-type', 'InfraTimeoutError'],
        ['redrive-class', 'retryable'],
        ['redrive-failed-at', iso],
        ['redrive-failed-attempts', '4'],
        ['redrive-deliveries', '5'],
        ['redrive-origin-channel', 'orders'],
        ['redrive-origin-group', 'billing'],
        ['redrive-origin-position', 'orders/3/42'],
        ['redrive-service', 'order-service'],
        ['redrive-description', 'Database connection timeout after 30s'],
        ['redrive-stack', 'InfraTimeoutError: x\n    at work (/app/src/work.ts:1:2)'],
      ],
    },
    {
      source: { channel: 'orders', position: 'orders/3/42' },
      group: 'billing',
      handler: 'order-service',
      reason: 'MaxDeliveryCountExceeded',
      errorType: 'InfraTimeoutError',
      errorMessage: 'Database connection timeout after 30s',
      stack: 'InfraTimeoutError: x\n    at work (/app/src/work.ts:1:2)',
      class: 'retryable',
      attempts: 4,
      deliveries: 5,
      failedAt: at,
    },
  ),
  row(
    'onex',
    'dev.orders.dlq',
    {
      headers: [
        ['event_type', utf8('dlq_message')],
        ['source', utf8('dev.order-service')],
        ['original_topic', utf8('dev.orders')],
        ['retry_count', utf8('0')],
      ],
      ...json({
        original_topic: 'dev.orders',
        original_message: { key: 'k', value: '{}', offset: 12345, partition: 3 },
        failure_reason: 'Database connection timeout after 30s',
        failure_timestamp: '2024-01-15T14:32:17.456000+00:00',
        correlation_id: '550e8400-e29b-41d4-a716-446655440000',
        retry_count: 3,
        error_type: 'InfraTimeoutError',
      }),
    },
    {
      source: { channel: 'dev.orders', partition: 3, offset: 12345n },
      handler: 'dev.order-service',
      errorType: 'InfraTimeoutError',
      errorMessage: 'Database connection timeout after 30s',
      attempts: 4,
      failedAt: at,
    },
  ),
  row(
    'brighter',
    'greeting.dead',
    {
      headers: [
        ['MessageType', 'MT_EVENT'],
        ['originalTopic', 'greeting.event'],
        ['originalMessageType', 'MT_EVENT'],
        ['rejectionReason', 'DeliveryError'],
        ['rejectionMessage', 'handler failed three times'],
        ['rejectionTimestamp', '2024-01-15T14:32:17.4560000+00:00'],
      ],
    },
    { source: { channel: 'greeting.event' }, reason: 'DeliveryError', errorMessage: 'handler failed three times', failedAt: at },
  ),
  row(
    'brighter-kafka',
    'greeting.dead',
    {
      headers: asBytes([
        ['OriginalTopic', 'greeting.event'],
        ['OriginalType', 'MT_EVENT'],
        ['RejectionReason', 'Unacceptable'],
        ['RejectionMessage', 'not valid'],
        ['RejectionTimestamp', '2024-01-15T14:32:17.4560000Z'],
        ['HandledCount', '2'],
      ]),
    },
    {
      source: { channel: 'greeting.event' },
      reason: 'Unacceptable',
      errorMessage: 'not valid',
      attempts: 2,
      failedAt: at,
    },
  ),
  row(
    'spring-kafka',
    'orders-dlt',
    {
      headers: [
        ['kafka_dlt-original-topic', utf8('orders')],
        ['kafka_dlt-original-partition', bytesOf(7, 4)],
        ['kafka_dlt-original-offset', bytesOf(9_007_199_254_740_993n, 8)],
        ['kafka_dlt-original-timestamp', bytesOf(at, 8)],
        ['kafka_dlt-original-timestamp-type', utf8('CREATE_TIME')],
        ['kafka_dlt-original-consumer-group', utf8('stock')],
        ['kafka_dlt-exception-fqcn', utf8('org.springframework.kafka.listener.ListenerExecutionFailedException')],
        ['kafka_dlt-exception-cause-fqcn', utf8('com.acme.OutOfStock')],
        ['kafka_dlt-exception-message', utf8('Listener failed; no stock for item 88')],
        ['kafka_dlt-exception-stacktrace', utf8(javaStack)],
        ['kafka_deliveryAttempt', bytesOf(3, 4)],
      ],
    },
    {
      source: { channel: 'orders', partition: 7, offset: 9_007_199_254_740_993n },
      group: 'stock',
      errorType: 'com.acme.OutOfStock',
      errorMessage: 'Listener failed; no stock for item 88',
      stack: javaStack,
      attempts: 3,
      firstSeenAt: at,
    },
  ),
  row(
    'spring-retry-topic',
    'orders-retry-2000',
    {
      headers: [
        ['kafka_original-topic', utf8('orders')],
        ['kafka_original-partition', bytesOf(1, 4)],
        ['kafka_original-offset', bytesOf(42, 8)],
        ['kafka_dlt-original-consumer-group', utf8('stock')],
        ['kafka_exception-fqcn', utf8('org.springframework.kafka.KafkaBackoffException')],
        ['kafka_exception-cause-fqcn', utf8('com.acme.OutOfStock')],
        ['kafka_exception-message', utf8('no stock')],
        ['kafka_exception-stacktrace', utf8(javaStack)],
        ['retry_topic-attempts', bytesOf(2, 1)],
        ['retry_topic-original-timestamp', bytesOf(at, 6)],
        ['retry_topic-backoff-timestamp', bytesOf(at + 2000, 6)],
      ],
    },
    {
      source: { channel: 'orders', partition: 1, offset: 42n },
      group: 'stock',
      errorType: 'com.acme.OutOfStock',
      errorMessage: 'no stock',
      stack: javaStack,
      attempts: 2,
      firstSeenAt: at,
    },
  ),
  row(
    'spring-cloud-stream',
    'error.orders.stock',
    {
      headers: [
        ['x-original-topic', utf8('orders')],
        ['x-original-partition', bytesOf(2, 4)],
        ['x-original-offset', bytesOf(17, 8)],
        ['x-original-timestamp', bytesOf(at, 8)],
        ['x-exception-fqcn', utf8('com.acme.OutOfStock')],
        ['x-exception-message', utf8('no stock')],
        ['x-exception-stacktrace', utf8(javaStack)],
      ],
    },
    {
      source: { channel: 'orders', partition: 2, offset: 17n },
      errorType: 'com.acme.OutOfStock',
      errorMessage: 'no stock',
      stack: javaStack,
      firstSeenAt: at,
    },
  ),
  row(
    'spring-amqp',
    'orders.error',
    {
      headers: [
        ['x-original-exchange', 'shop'],
        ['x-original-routingKey', 'orders'],
        ['x-exception-message', 'no stock for item 88'],
        ['x-exception-stacktrace', javaStack],
        ['retry_count', 2],
        ['x-death', [{ queue: 'elsewhere', reason: 'expired', count: 1 }]],
      ],
    },
    {
      source: { channel: 'orders', position: 'shop' },
      errorType: 'com.acme.OutOfStock',
      errorMessage: 'no stock for item 88',
      stack: javaStack,
      attempts: 3,
    },
  ),
  row(
    'kafka-connect',
    'connect-dlq',
    {
      headers: asBytes([
        ['__connect.errors.topic', 'orders'],
        ['__connect.errors.partition', '4'],
        ['__connect.errors.offset', '1001'],
        ['__connect.errors.connector.name', 'jdbc-sink'],
        ['__connect.errors.task.id', '0'],
        ['__connect.errors.stage', 'VALUE_CONVERTER'],
        ['__connect.errors.class.name', 'org.apache.kafka.connect.json.JsonConverter'],
        ['__connect.errors.exception.class.name', 'org.apache.kafka.connect.errors.DataException'],
        ['__connect.errors.exception.message', 'Converting byte[] failed'],
        ['__connect.errors.exception.stacktrace', javaStack],
      ]),
    },
    {
      source: { channel: 'orders', partition: 4, offset: 1001n },
      group: 'jdbc-sink',
      handler: 'org.apache.kafka.connect.json.JsonConverter',
      reason: 'VALUE_CONVERTER',
      errorType: 'org.apache.kafka.connect.errors.DataException',
      errorMessage: 'Converting byte[] failed',
      stack: javaStack,
    },
  ),
  row(
    'kafka-streams',
    'app-dlq',
    {
      headers: asBytes([
        ['__streams.errors.topic', 'orders'],
        ['__streams.errors.partition', '0'],
        ['__streams.errors.offset', '99'],
        ['__streams.errors.exception', 'org.apache.kafka.common.errors.SerializationException: bad byte'],
        ['__streams.errors.stacktrace', javaStack],
      ]),
    },
    {
      source: { channel: 'orders', partition: 0, offset: 99n },
      errorType: 'org.apache.kafka.common.errors.SerializationException',
      errorMessage: 'bad byte',
      stack: javaStack,
    },
  ),
  row(
    'kafka-share-group',
    'dlq.orders',
    {
      headers: asBytes([
        ['__dlq.errors.topic', 'orders'],
        ['__dlq.errors.partition', '5'],
        ['__dlq.errors.offset', '77'],
        ['__dlq.errors.group', 'packers'],
        ['__dlq.errors.message', 'Offset rejected by client.'],
        ['__dlq.errors.delivery.count', '5'],
        ['_dlq.errors.disposition', 'REJECT'],
      ]),
    },
    {
      source: { channel: 'orders', partition: 5, offset: 77n },
      group: 'packers',
      reason: 'REJECT',
      errorMessage: 'Offset rejected by client.',
      deliveries: 5,
    },
  ),
  row(
    'smallrye',
    'dead-letter-topic-orders',
    {
      headers: asBytes([
        ['dead-letter-topic', 'orders'],
        ['dead-letter-partition', '1'],
        ['dead-letter-offset', '8'],
        ['dead-letter-reason', 'it failed'],
        ['dead-letter-cause', 'no stock'],
        ['dead-letter-exception-class-name', 'java.lang.RuntimeException'],
        ['dead-letter-cause-class-name', 'com.acme.OutOfStock'],
      ]),
    },
    {
      source: { channel: 'orders', partition: 1, offset: 8n },
      errorType: 'com.acme.OutOfStock',
      errorMessage: 'no stock',
    },
  ),
  row(
    'nservicebus',
    'error',
    {
      headers: [
        ['NServiceBus.FailedQ', 'Billing'],
        ['NServiceBus.ProcessingEndpoint', 'Billing'],
        ['NServiceBus.ProcessingMachine', 'WEB-01'],
        ['NServiceBus.ExceptionInfo.ExceptionType', 'System.AggregateException'],
        ['NServiceBus.ExceptionInfo.InnerExceptionType', 'Acme.CustomerNotFoundException'],
        ['NServiceBus.ExceptionInfo.Message', 'Customer 4711 was not found.'],
        ['NServiceBus.ExceptionInfo.StackTrace', '   at Acme.Billing.Handle() in /src/Billing.cs:line 12'],
        ['NServiceBus.ExceptionInfo.Data.Handler type', 'Acme.Billing.OrderPlacedHandler'],
        ['NServiceBus.TimeOfFailure', '2024-01-15 14:32:17:456456 Z'],
        ['NServiceBus.Retries', '3'],
        ['DeadLetterReason', 'older'],
      ],
    },
    {
      source: { channel: 'Billing' },
      group: 'Billing',
      handler: 'Acme.Billing.OrderPlacedHandler',
      errorType: 'Acme.CustomerNotFoundException',
      errorMessage: 'Customer 4711 was not found.',
      stack: '   at Acme.Billing.Handle() in /src/Billing.cs:line 12',
      attempts: 4,
      failedAt: at,
    },
  ),
  row(
    'masstransit',
    'billing_error',
    {
      headers: [
        ['MT-Reason', 'fault'],
        ['MT-Fault-InputAddress', 'rabbitmq://broker/vhost/billing?temporary=true'],
        ['MT-Fault-ConsumerType', 'Acme.Billing.OrderConsumer'],
        ['MT-Fault-MessageType', 'Acme.OrderPlaced'],
        ['MT-Fault-ExceptionType', 'Acme.CustomerNotFoundException'],
        ['MT-Fault-Message', 'Customer 4711 was not found.'],
        ['MT-Fault-StackTrace', '   at Acme.Billing.Consume()'],
        ['MT-Fault-Timestamp', '2024-01-15T14:32:17.4560000Z'],
        ['MT-Fault-RetryCount', 3],
        ['MT-Fault-RedeliveryCount', 2],
        ['MT-Host-MachineName', 'WEB-01'],
      ],
    },
    {
      source: { channel: 'billing' },
      handler: 'Acme.Billing.OrderConsumer',
      reason: 'fault',
      errorType: 'Acme.CustomerNotFoundException',
      errorMessage: 'Customer 4711 was not found.',
      stack: '   at Acme.Billing.Consume()',
      attempts: 6,
      failedAt: at,
    },
  ),
  row(
    'wolverine',
    'wolverine-dead-letter-queue',
    {
      headers: asBytes([
        ['original-destination', 'kafka://topic/orders'],
        ['original-partition', '2'],
        ['original-offset', '55'],
        ['exception-type', 'Acme.OutOfStock'],
        ['exception-message', 'no stock'],
        ['exception-stack', '   at Acme.Stock.Reserve()'],
        ['failed-at', iso],
        ['attempts', '3'],
        ['wolverine-kafka-retry-first-failed', String(621_355_968_000_000_000n + BigInt(at) * 10_000n)],
      ]),
    },
    {
      source: { channel: 'orders', partition: 2, offset: 55n },
      errorType: 'Acme.OutOfStock',
      errorMessage: 'no stock',
      stack: '   at Acme.Stock.Reserve()',
      attempts: 3,
      firstSeenAt: at,
      failedAt: at,
    },
  ),
  row(
    'rabbitmq',
    'orders.dead',
    {
      headers: [
        [
          'x-death',
          [
            { queue: 'orders', reason: 'rejected', count: 1, time: new Date(at), exchange: 'shop', 'routing-keys': ['orders'] },
            { queue: 'orders.wait', reason: 'expired', count: 2, time: new Date(at - 5000), exchange: '', 'routing-keys': ['x'] },
            { queue: 'orders', reason: 'maxlen', count: 1n, time: new Date(at - 3000), exchange: 'shop' },
          ],
        ],
        ['x-first-death-queue', 'orders'],
        ['x-first-death-reason', 'expired'],
        ['x-first-death-exchange', 'shop'],
        ['x-delivery-count', 1],
      ],
    },
    {
      source: { channel: 'orders', position: 'shop' },
      reason: 'rejected',
      attempts: 1,
      firstSeenAt: at - 5000,
      failedAt: at,
    },
  ),
  row(
    'rascal',
    'dead-letters',
    {
      headers: [
        [
          'rascal',
          {
            originalQueue: 'orders',
            originalExchange: 'shop',
            originalRoutingKey: 'orders',
            originalVhost: '/',
            redeliveries: 2,
            recovery: { orders: { republished: 5 }, other: { republished: 9 } },
            error: { message: 'no stock', code: 'OUT_OF_STOCK' },
          },
        ],
        ['x-death', [{ queue: 'other', reason: 'rejected', count: 1 }]],
      ],
    },
    {
      source: { channel: 'orders', position: 'shop' },
      errorType: 'OUT_OF_STOCK',
      errorMessage: 'no stock',
      attempts: 5,
      deliveries: 2,
    },
  ),
  row(
    'moleculer-channels',
    'DEAD_LETTER',
    {
      headers: [
        ['x-original-channel', 'order.created'],
        ['x-original-group', 'payments'],
        ['x-original-partition', '3'],
        ['x-original-id', '1705329137456-0'],
        ['x-error-message', 'no stock'],
        ['x-error-code', '409'],
        ['x-error-type', 'OUT_OF_STOCK'],
        ['x-error-name', 'MoleculerClientError'],
        ['x-error-retryable', 'false'],
        ['x-error-stack', 'TW9sZWN1bGVyQ2xpZW50RXJyb3I6IG5vIHN0b2NrCiAgICBhdCB4ICgvYXBwL3guanM6MToyKQ=='],
        ['x-error-timestamp', String(at)],
        ['x-redelivered-count', '2'],
      ],
    },
    {
      source: { channel: 'order.created', partition: 3, position: '1705329137456-0' },
      group: 'payments',
      reason: 'OUT_OF_STOCK',
      errorType: 'MoleculerClientError',
      errorMessage: 'no stock',
      stack: 'MoleculerClientError: no stock\n    at x (/app/x.js:1:2)',
      attempts: 3,
      failedAt: at,
    },
  ),
  row(
    'watermill',
    'poison',
    {
      headers: asBytes([
        ['reason_poisoned', 'book shipment 8: connection refused'],
        ['topic_poisoned', 'shipments'],
        ['handler_poisoned', 'book'],
        ['subscriber_poisoned', 'kafka.Subscriber'],
      ]),
    },
    {
      source: { channel: 'shipments' },
      group: 'kafka.Subscriber',
      handler: 'book',
      errorMessage: 'book shipment 8: connection refused',
    },
  ),
  row(
    'kafkaflow',
    'orders-retry',
    {
      headers: asBytes([
        ['Kafka-Flow-Retry-Durable-Queue-Id', '6f0a6b2c-1d4e-4a7e-8c3a-52b4a1b0c9d8'],
        ['Kafka-Flow-Retry-Durable-Item-Id', '0e0e4c1f-9a55-4f0b-a0a6-3a8b7c6d5e4f'],
        ['Kafka-Flow-Retry-Durable-Attempts-Count', '7'],
        ['Kafka-Flow-Retry-Durable-Sort', '0'],
      ]),
    },
    { source: { position: '0e0e4c1f-9a55-4f0b-a0a6-3a8b7c6d5e4f' }, attempts: 7 },
  ),
  row(
    'uforwarder',
    'orders__dlq',
    {
      key: protobuf([
        [1, 3n],
        [2, 'orders'],
        [3, 4n],
        [4, 1_000_000n],
        [5, BigInt(at) * 1_000_000n],
        [6, '\u0000key'],
        [7, 1n],
      ]),
    },
    { source: { channel: 'orders', partition: 4, offset: 1_000_000n }, attempts: 4, firstSeenAt: at },
  ),
  row(
    'azure-service-bus',
    'orders/$DeadLetterQueue',
    {
      headers: [
        ['DeadLetterReason', 'MaxDeliveryCountExceeded'],
        ['DeadLetterErrorDescription', 'Message could not be consumed after 10 delivery attempts.'],
      ],
      ...native('azure-service-bus', { deliveryCount: 10, sequenceNumber: 812n, enqueuedTimeUtc: new Date(at) }),
    },
    {
      source: { channel: 'orders', position: '812' },
      reason: 'MaxDeliveryCountExceeded',
      errorMessage: 'Message could not be consumed after 10 delivery attempts.',
      deliveries: 10,
      firstSeenAt: at,
    },
  ),
  row(
    'sqs',
    'orders-dlq',
    native('sqs', {
      DeadLetterQueueSourceArn: 'arn:aws:sqs:eu-central-1:123456789012:orders',
      ApproximateReceiveCount: '4',
      SentTimestamp: String(at),
      ApproximateFirstReceiveTimestamp: String(at + 20),
    }),
    { source: { channel: 'orders' }, deliveries: 4, firstSeenAt: at },
  ),
  row(
    'rocketmq',
    '%DLQ%packers',
    native('rocketmq', {
      DLQ_ORIGIN_TOPIC: 'orders',
      DLQ_ORIGIN_MESSAGE_ID: 'AC11000200002A9F0000000000012345',
      RETRY_TOPIC: '%RETRY%packers',
      RECONSUME_TIME: '16',
      MAX_RECONSUME_TIMES: '16',
    }),
    { source: { channel: 'orders', position: 'AC11000200002A9F0000000000012345' }, group: 'packers', attempts: 17 },
  ),
  row(
    'nats-advisory',
    '$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.ORDERS.packers',
    json({
      type: 'io.nats.jetstream.advisory.v1.terminated',
      id: 'adv-2',
      timestamp: iso,
      stream: 'ORDERS',
      consumer: 'packers',
      consumer_seq: 7,
      stream_seq: 43,
      deliveries: 5,
      reason: 'no stock',
    }),
    {
      source: { channel: 'ORDERS', offset: 43n },
      group: 'packers',
      reason: 'Terminated',
      errorMessage: 'no stock',
      deliveries: 5,
      failedAt: at,
    },
  ),
  row(
    'gcp-pubsub',
    'orders-dead',
    {
      headers: [
        ['CloudPubSubDeadLetterSourceSubscription', 'orders-packers'],
        ['CloudPubSubDeadLetterSourceSubscriptionProject', 'acme-prod'],
        ['CloudPubSubDeadLetterSourceDeliveryCount', '5'],
        ['CloudPubSubDeadLetterSourceTopicPublishTime', '2024-01-15T14:32:17.456+00:00'],
      ],
    },
    { group: 'orders-packers', deliveries: 5, firstSeenAt: at },
  ),
  row(
    'pg-boss',
    'orders-dead',
    native('pg-boss', {
      source_name: 'orders',
      source_id: '0e0e4c1f-9a55-4f0b-a0a6-3a8b7c6d5e4f',
      source_created_on: new Date(at),
      source_retry_count: 2,
      output: { name: 'OutOfStock', message: 'no stock', stack: 'OutOfStock: no stock\n    at x (/app/x.js:1:2)' },
    }),
    {
      source: { channel: 'orders', position: '0e0e4c1f-9a55-4f0b-a0a6-3a8b7c6d5e4f' },
      errorType: 'OutOfStock',
      errorMessage: 'no stock',
      stack: 'OutOfStock: no stock\n    at x (/app/x.js:1:2)',
      attempts: 3,
      firstSeenAt: at,
    },
  ),
  row(
    'dapr',
    'poison-orders',
    json({ specversion: '1.0', id: 'e-1', source: 'checkout', topic: 'orders', pubsubname: 'pubsub', time: iso, data: {} }),
    { source: { channel: 'orders', position: 'e-1' }, firstSeenAt: at },
  ),
  row(
    'camel',
    'orders.dead',
    {
      headers: [
        ['CamelFailureEndpoint', 'http://stock/reserve'],
        ['CamelFailureRouteId', 'order-route'],
        ['CamelExceptionCaught', 'com.acme.OutOfStock: no stock'],
        ['CamelRedeliveryCounter', bytesOf(3, 4)],
        ['kafka.TOPIC', utf8('orders')],
        ['kafka.PARTITION', bytesOf(4, 4)],
        ['kafka.OFFSET', bytesOf(1001, 8)],
      ],
    },
    {
      source: { channel: 'orders', partition: 4, offset: 1001n },
      handler: 'order-route',
      errorType: 'com.acme.OutOfStock',
      errorMessage: 'no stock',
      attempts: 4,
    },
  ),
  row(
    'generic',
    'orders.dlq',
    {
      headers: asBytes([
        ['dlq.origin.topic', 'orders'],
        ['dlq-error-class', 'OutOfStock'],
        ['error_reason', 'no stock'],
        ['failed-at', '2024-01-15 14:32:17.456'],
        ['dlq-attempts', '3'],
      ]),
    },
    { source: { channel: 'orders' }, errorType: 'OutOfStock', errorMessage: 'no stock', attempts: 3, failedAt: at },
  ),
]
