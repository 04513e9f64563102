import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../failure.ts'
import type { LetterDraft } from '../letter.ts'
import type { Header, Headers, HeaderValue, Message } from '../message.ts'
import { anyDraft, anyHeaders, draft, message } from './drafts.fixture.ts'
import { bytesOf, utf8, writtenLetters } from './letters.fixture.ts'
import { nativeLetter } from './native-letter.ts'
import { type Reading, readLetter } from './read-letter.ts'
import { dialectReaders } from './readers.ts'
import type { FoundLetter, ReadFailure } from './reading.ts'
import { dialectWriters } from './writers.ts'

const plenty = 1_000_000

function read(headers: Headers, changes: Partial<Message> = {}, channel = 'dead'): Reading {
  return readLetter({ channel, message: { body: null, headers, ...changes } })
}

describe('a letter of every dialect', () => {
  test('is there for every reader, once', () => {
    expect(writtenLetters.map(({ dialect }) => dialect).sort()).toEqual(dialectReaders.map(({ name }) => name).sort())
  })

  test.each(writtenLetters)('is read: $dialect', ({ dialect, letter, failure }) => {
    const reader = dialectReaders.find(({ name }) => name === dialect)
    expect(readLetter(letter)).toStrictEqual({ dialect, confidence: reader?.confidence, failure })
  })

  test.each(writtenLetters)('is left as it was: $dialect', ({ letter }) => {
    const copy = structuredClone(letter)
    readLetter(letter)
    expect(letter).toStrictEqual(copy)
  })

  test.each(writtenLetters)(
    'is read whatever the case of its headers, but for the dialect that differs in case only: $dialect',
    ({ dialect, letter, failure }) => {
      const headers = letter.message.headers.map(([name, value]) => [name.toUpperCase(), value] as const)
      const reading = readLetter({ ...letter, message: { ...letter.message, headers } })
      expect(reading.failure).toStrictEqual(failure)
      expect(reading.dialect).toBe(dialect === 'brighter-kafka' ? 'brighter' : dialect)
    },
  )
})

describe('a malformed letter', () => {
  const malformed: readonly HeaderValue[] = [
    null,
    true,
    Number.NaN,
    -1,
    1e300,
    2n ** 70n,
    '',
    'no number',
    '99999999999999999999',
    '2024-02-30T00:00:00Z',
    new Date(Number.NaN),
    new Uint8Array(),
    Uint8Array.of(0xff, 0xfe, 0x80),
    bytesOf(-1, 8),
    [],
    [[[]]],
    [null, 'x', { queue: [] }],
    {},
    { error: 1, recovery: [] },
    '{"__proto__":1}',
    'x'.repeat(100_000),
  ]

  test.each(writtenLetters)('of $dialect is a letter with whatever one of its headers', ({ letter }) => {
    for (const [index, [name]] of letter.message.headers.entries()) {
      for (const value of malformed) {
        const headers = letter.message.headers.with(index, [name, value])
        expectWellTyped(readLetter({ ...letter, message: { ...letter.message, headers } }))
      }
    }
  })

  test.each(writtenLetters)('of $dialect is a letter with whatever broker property, key and body', ({ letter }) => {
    const names = Object.keys(letter.message.native?.properties ?? {})
    for (const value of malformed) {
      const properties = Object.fromEntries(names.map((name) => [name, value]))
      const body = value instanceof Uint8Array ? value : utf8(String(value))
      expectWellTyped(
        readLetter({ ...letter, message: { ...letter.message, body, key: body, native: { transport: 'x', properties } } }),
      )
    }
  })

  test.each(writtenLetters)('of $dialect is a letter with nothing but each of its signs', ({ letter }) => {
    for (const [name] of letter.message.headers) for (const value of malformed) expectWellTyped(read([[name, value]]))
  })

  test('is a letter whatever headers, body, key and properties there are', () => {
    const known = dialectReaders.flatMap(({ signs, headers }) => [...signs, ...headers.map((name) => name.replace('*', 'topic'))])
    const value = fc.oneof(anyHeaderValue, fc.constantFrom(...malformed))
    const headers = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...known), fc.string()), value), { maxLength: 12 })
    const body = fc.option(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map(utf8),
        fc.object().map((object) => utf8(JSON.stringify(object))),
      ),
    )
    fc.assert(
      fc.property(
        headers,
        body,
        fc.oneof(fc.string(), fc.uint8Array()),
        fc.string(),
        headers,
        (some, bytes, key, channel, native) => {
          const properties = Object.fromEntries(native)
          const found: FoundLetter = {
            channel,
            message: { headers: some, body: bytes, key, native: { transport: 'x', properties } },
          }
          expectWellTyped(readLetter(found))
        },
      ),
      { numRuns: 500 },
    )
  })

  test('is read as far as it can be', () => {
    const { failure, dialect } = read([
      ['kafka_dlt-original-topic', utf8('orders')],
      ['kafka_dlt-original-partition', utf8('not a number')],
      ['kafka_dlt-original-offset', bytesOf(7, 8)],
      ['kafka_dlt-original-timestamp', null],
    ])
    expect({ dialect, failure }).toStrictEqual({
      dialect: 'spring-kafka',
      failure: { source: { channel: 'orders', offset: 7n } },
    })
  })
})

const anyHeaderValue: fc.Arbitrary<HeaderValue> = anyHeaders.map((headers) => headers[0]?.[1] ?? null)

/** One expectation for all of it: it is asked tens of thousands of times. */
function expectWellTyped(reading: Reading): void {
  if (!isWellTyped(reading)) expect.fail(`not well typed: ${JSON.stringify(reading, (_, value) => String(value)).slice(0, 1000)}`)
}

function isWellTyped({ dialect, confidence, failure }: Reading): boolean {
  const { source = {}, class: kind, attempts, deliveries, firstSeenAt, failedAt, ...texts } = failure
  const { partition, offset, ...places } = source
  return (
    (dialect === 'unknown') === (confidence === 'none') &&
    Object.values({ ...texts, ...places }).every((text) => typeof text === 'string' && text !== '' && text.length <= 65_536) &&
    [attempts, deliveries, partition].every((count) => count === undefined || (Number.isSafeInteger(count) && count >= 0)) &&
    [firstSeenAt, failedAt].every((time) => time === undefined || Number.isFinite(time)) &&
    (offset === undefined || typeof offset === 'bigint') &&
    [undefined, 'retryable', 'permanent', 'invalid', 'cancelled'].includes(kind)
  )
}

describe('a letter that nobody recognises', () => {
  const unknown: Reading = { dialect: 'unknown', confidence: 'none', failure: {} }

  test('is a letter all the same', () => {
    expect(read([])).toStrictEqual(unknown)
    expect(read([['tenant', 'acme']], { body: utf8('{"a":1}'), key: 'k', id: 'm-1' })).toStrictEqual(unknown)
    expect(read([], { body: utf8('[1]') })).toStrictEqual(unknown)
    expect(read([], { body: utf8('{ broken') })).toStrictEqual(unknown)
  })

  test('is one that was replayed and bears no failure of ours', () => {
    const headers: Headers = [
      ['redrive-letter', 'letter-1'],
      ['redrive-replay', 'r-1'],
    ]
    expect(read(headers)).toStrictEqual(unknown)
    expect(read([...headers, ['x-death', [{ queue: 'orders', reason: 'rejected', count: 1 }]]]).dialect).toBe('rabbitmq')
  })
})

describe('the order of the readers', () => {
  test('is by confidence', () => {
    const ranks = { certain: 0, likely: 1, guess: 2 }
    const found = dialectReaders.map(({ confidence }) => ranks[confidence])
    expect(found).toEqual(found.toSorted())
  })

  test.each([
    ['redrive', ['redrive-reason', 'x'], ['DeadLetterReason', 'x']],
    ['nservicebus', ['NServiceBus.FailedQ', 'x'], ['x-death', []]],
    ['masstransit', ['MT-Reason', 'x'], ['DeadLetterReason', 'x']],
    ['moleculer-channels', ['x-original-group', 'x'], ['x-death', []]],
    ['spring-kafka', ['kafka_dlt-original-topic', 'x'], ['kafka_original-topic', 'x']],
    ['kafka-connect', ['__connect.errors.topic', 'x'], ['original_topic', 'x']],
    ['onex', ['event_type', 'dlq_message'], ['redrive-reason', 'x']],
  ] as const)('asks %s before whoever knows less', (dialect, one, other) => {
    expect(read([one, other]).dialect).toBe(dialect)
    expect(read([other, one]).dialect).toBe(dialect)
  })
})

describe('what our writers write, our readers read back', () => {
  const expected = ({ failure, origin, consumer }: LetterDraft): ReadFailure => ({
    ...asRead(failure),
    ...(failure.description === '' ? {} : { errorMessage: failure.description }),
    ...(failure.stack === undefined || failure.stack === '' ? {} : { stack: failure.stack }),
    ...(origin.group === undefined ? {} : { group: origin.group }),
    handler: consumer.service,
  })
  const asRead = ({ reason, errorType, class: kind, attempts, deliveries, at }: Failure): ReadFailure => ({
    ...(reason === '' ? {} : { reason }),
    errorType,
    class: kind,
    attempts,
    deliveries,
    failedAt: at,
  })

  /** A letter in the words of Spring or Connect bears ours as well, and they say more. */
  const readAs = (name: string): string => (['spring-kafka', 'kafka-connect'].includes(name) ? 'redrive' : name)

  for (const [name, write] of Object.entries(dialectWriters)) {
    test(`to the same failure, in the dialect ${name}`, () => {
      fc.assert(
        fc.property(anyDraft, (some) => {
          fc.pre(some.failure.reason !== '' && some.failure.description !== some.failure.reason)
          fc.pre(isWellFormed(some.failure))
          const { dialect, confidence, failure } = readLetter({ channel: 'dead', message: write(some, plenty) })
          const { source, ...rest } = failure
          expect({ dialect, confidence }).toEqual({ dialect: readAs(name), confidence: 'certain' })
          expect(rest).toStrictEqual(expected(some))
          expect(source).toMatchObject({ channel: some.origin.channel, position: some.origin.position })
        }),
      )
    })
  }

  test('to the same failure, where a queue of ours dead-letters by itself', () => {
    fc.assert(
      fc.property(anyDraft, (some) => {
        fc.pre(some.failure.reason !== '' && isWellFormed(some.failure))
        const { dialect, failure } = readLetter({
          channel: 'dead',
          message: nativeLetter(message(), some.failure, some.origin),
        })
        const { handler: _, ...known } = expected(some)
        expect(dialect).toBe('redrive')
        expect(failure).toStrictEqual({ source: { channel: 'orders', position: 'orders/3/42' }, ...known })
      }),
    )
  })

  test('to no text at all where the failure had none', () => {
    const { failure } = draft()
    for (const write of Object.values(dialectWriters)) {
      const letter = write(draft({ failure: { ...failure, description: '' } }), plenty)
      expect(readLetter({ channel: 'dead', message: letter }).failure).not.toHaveProperty('errorMessage')
    }
  })

  test.each(['spring-kafka', 'kafka-connect'] as const)('in the words of %s, to whoever reads only those', (name) => {
    const { failure } = draft()
    const letter = dialectWriters[name](draft({ failure: { ...failure, stack: 'Error: x' } }), plenty)
    const foreign = { ...letter, headers: letter.headers.filter(([header]) => !header.startsWith('redrive-')) }
    const { dialect, failure: found } = readLetter({ channel: 'dead', message: foreign })
    expect(dialect).toBe(name)
    expect(found).toMatchObject({
      source: { channel: 'orders', partition: 3, offset: 42n },
      group: 'billing',
      errorType: 'InfraTimeoutError',
      errorMessage: 'Database connection timeout after 30s',
      stack: 'Error: x',
    })
  })

  test('from the log that the message stood in, in the dialect that tells it', () => {
    const letter = dialectWriters.onex(draft(), plenty)
    expect(readLetter({ channel: 'dead', message: letter }).failure.source).toStrictEqual({
      channel: 'orders',
      partition: 3,
      offset: 42n,
      position: 'orders/3/42',
    })
  })
})

function isWellFormed({ description, stack = '', reason }: Failure): boolean {
  return [description, stack, reason].every((text) => text.isWellFormed())
}

describe('what is special about', () => {
  const spring = (...headers: readonly Header[]): ReadFailure =>
    read([['kafka_dlt-original-topic', utf8('first')], ...headers]).failure

  test('Spring: a letter that died twice has its first origin and its last failure', () => {
    const failure = spring(
      ['kafka_dlt-exception-fqcn', utf8('Old')],
      ['kafka_dlt-exception-message', utf8('old')],
      ['kafka_dlt-original-topic', utf8('second')],
      ['kafka_dlt-exception-fqcn', utf8('New')],
      ['kafka_dlt-exception-message', utf8('new')],
    )
    expect(failure).toStrictEqual({ source: { channel: 'first' }, errorType: 'New', errorMessage: 'new' })
  })

  test('Spring: a cause and a text that an earlier death left are not those of the last one', () => {
    const failure = spring(
      ['kafka_dlt-exception-cause-fqcn', utf8('OldCause')],
      ['kafka_dlt-exception-message', utf8('old')],
      ['kafka_dlt-original-topic', utf8('second')],
      ['kafka_dlt-exception-fqcn', utf8('New')],
      ['kafka_dlt-exception-stacktrace', utf8('New\n\tat A.b(A.java:1)')],
    )
    expect(failure).toStrictEqual({
      source: { channel: 'first' },
      errorType: 'New',
      stack: 'New\n\tat A.b(A.java:1)',
    })
  })

  test('Spring: a key that cannot be read any more is not explained by the handler that failed before', () => {
    const failure = spring(
      ['KAFKA_DLT-EXCEPTION-FQCN', utf8('Old')],
      ['kafka_dlt-exception-message', utf8('old')],
      ['KAFKA_DLT-KEY-EXCEPTION-FQCN', utf8('DeserializationException')],
      ['kafka_dlt-exception-cause-fqcn', utf8('BadKey')],
      ['kafka_dlt-key-exception-message', utf8('bad key')],
    )
    expect(failure).toMatchObject({ errorType: 'BadKey', errorMessage: 'bad key' })
  })

  test('Spring: on retry topics, where the origin is written once, it is the same', () => {
    const { failure } = read([
      ['kafka_original-topic', utf8('orders')],
      ['kafka_exception-cause-fqcn', utf8('OldCause')],
      ['kafka_key-exception-fqcn', utf8('K')],
      ['kafka_key-exception-message', utf8('bad key')],
    ])
    expect(failure).toStrictEqual({ source: { channel: 'orders' }, errorType: 'K', errorMessage: 'bad key' })
  })

  test('Spring: where the class is not written, there is what else is', () => {
    expect(spring(['kafka_dlt-exception-message', utf8('old')], ['kafka_dlt-exception-message', utf8('new')])).toMatchObject({
      errorMessage: 'new',
    })
  })

  test('Spring: a key that could not be read has names of its own', () => {
    const failure = spring(['kafka_dlt-key-exception-fqcn', utf8('K')], ['kafka_dlt-key-exception-message', utf8('bad key')])
    expect(failure).toMatchObject({ errorType: 'K', errorMessage: 'bad key' })
  })

  test.each([
    ['four bytes', bytesOf(3, 4), 3],
    ['four bytes that could be digits', utf8('1234'), 0x31323334],
    ['one byte', bytesOf(3, 1), 3],
    ['two bytes', bytesOf(300, 2), 300],
    ['one digit of text', utf8('3'), 3],
    ['three digits of text', utf8('123'), 123],
    ['a negative number', bytesOf(-1, 4), undefined],
    ['too many bytes', utf8('123456789'), 123456789],
    ['words', utf8('three'), undefined],
    ['a number', 3, 3],
  ])('Spring: attempts as %s', (_, value, attempts) => {
    expect(spring(['kafka_deliveryAttempt', value]).attempts).toBe(attempts)
  })

  test('RabbitMQ: deaths that were no attempts are not counted', () => {
    const deaths = (reason: string): HeaderValue => [{ queue: 'orders', reason, count: 3 }]
    expect(read([['x-death', deaths('rejected')]]).failure.attempts).toBe(3)
    expect(read([['x-death', deaths('expired')]]).failure.attempts).toBeUndefined()
    expect(read([['x-death', deaths('maxlen')]]).failure.attempts).toBeUndefined()
  })

  test('RabbitMQ: the time of deaths that repeat is that of the first one, and says nothing of the last', () => {
    const at = Date.UTC(2024, 0, 15)
    const deaths = (count: number): HeaderValue => [
      { queue: 'orders', reason: 'rejected', count, time: new Date(at) },
      { queue: 'orders.wait', reason: 'expired', count: 1, time: new Date(at + 1000) },
    ]
    expect(read([['x-death', deaths(2)]]).failure).toMatchObject({ attempts: 2, firstSeenAt: at })
    expect(read([['x-death', deaths(2)]]).failure).not.toHaveProperty('failedAt')
    expect(read([['x-death', deaths(1)]]).failure).toMatchObject({ firstSeenAt: at, failedAt: at })
  })

  test('RabbitMQ: what was tried until the delivery limit tells how often only where the count came along', () => {
    const limited: Header = ['x-death', [{ queue: 'orders', reason: 'delivery_limit', count: 1 }]]
    const attempts = (...headers: readonly Header[]): number | undefined => read([limited, ...headers]).failure.attempts
    expect(attempts()).toBeUndefined()
    expect(attempts(['x-acquired-count', 4], ['x-delivery-count', 4])).toBe(4)
    const rejectedBefore = [
      { queue: 'orders', reason: 'delivery_limit', count: 1 },
      { queue: 'orders', reason: 'rejected', count: 2 },
    ]
    expect(attempts(['x-acquired-count', 4], ['x-delivery-count', 0])).toBe(1)
    const headers: Headers = [
      ['x-death', rejectedBefore],
      ['x-acquired-count', 4],
      ['x-delivery-count', 4],
    ]
    expect(read(headers).failure.attempts).toBe(6)
  })

  test('RabbitMQ: what a dead-letter queue counts of those who looked is no try', () => {
    const expired: HeaderValue = [{ queue: 'orders', reason: 'expired', count: 1 }]
    const { failure } = read([
      ['x-death', expired],
      ['x-delivery-count', 7],
    ])
    expect([failure.attempts, failure.deliveries]).toEqual([undefined, undefined])
  })

  test('RabbitMQ: without the list there is what the first and the last death left', () => {
    const headers: Headers = [
      ['x-first-death-queue', 'orders'],
      ['x-first-death-reason', 'expired'],
      ['x-last-death-reason', 'rejected'],
    ]
    expect(read(headers).failure).toStrictEqual({ source: { channel: 'orders' }, reason: 'rejected' })
    expect(read(headers.slice(0, 2)).failure).toStrictEqual({ source: { channel: 'orders' }, reason: 'expired' })
  })

  test('Service Bus: the source is the one it was forwarded from, else the entity whose sub-queue it lies in, else not known', () => {
    const reason: Header = ['DeadLetterReason', 'x']
    expect(read([reason, ['DeadLetterSource', 'a']], {}, 'b/$deadletterqueue').failure.source).toEqual({ channel: 'a' })
    expect(read([reason], {}, 'topic/subscriptions/s/$DeadLetterQueue').failure.source).toEqual({
      channel: 'topic/subscriptions/s',
    })
    expect(read([reason], {}, 'b').failure).not.toHaveProperty('source')
  })

  test.each([
    ['MaxDeliveryCountExceeded', 10, 10],
    ['TTLExpiredException', 0, 0],
    ['NoStock', 0, 1],
    ['NoStock', 2, 3],
  ])('Service Bus: what died of %s after %i returns was handed out %i times', (reason, deliveryCount, deliveries) => {
    const native = { transport: 'servicebus', properties: { deliveryCount } }
    expect(read([['DeadLetterReason', reason]], { native }).failure.deliveries).toBe(deliveries)
  })

  test('RocketMQ: a dead-letter topic tells its group even where no property is left', () => {
    expect(read([], {}, '%DLQ%packers')).toStrictEqual({
      dialect: 'rocketmq',
      confidence: 'certain',
      failure: { group: 'packers' },
    })
    expect(read([['RETRY_TOPIC', 'orders']]).failure).toStrictEqual({ source: { channel: 'orders' } })
    expect(read([['REAL_TOPIC', 'orders']]).dialect).toBe('unknown')
  })

  test('Dapr: an event that lies where it was published is no letter of Dapr', () => {
    const event = { specversion: '1.0', topic: 'orders', pubsubname: 'p' }
    expect(read([], { body: utf8(JSON.stringify(event)) }, 'orders').dialect).toBe('unknown')
    expect(read([], { body: utf8(JSON.stringify(event)) }, 'dead').dialect).toBe('dapr')
    expect(read([], { body: utf8(JSON.stringify({ ...event, pubsubname: undefined })) }, 'dead').dialect).toBe('unknown')
  })

  test.each([
    ['max_deliver', 'MaxDeliveries'],
    ['terminated', 'Terminated'],
    ['nak', 'Naked'],
    ['snapshot_create', undefined],
  ])('NATS: the advisory %s', (type, reason) => {
    const { dialect, failure } = read([], { body: utf8(JSON.stringify({ type: `io.nats.jetstream.advisory.v1.${type}` })) })
    expect({ dialect, reason: failure.reason }).toEqual({ dialect: reason ? 'nats-advisory' : 'unknown', reason })
  })

  test('ONEX: the headers alone are enough, and so is the body', () => {
    const headers: Headers = [
      ['event_type', 'dlq_message'],
      ['original_topic', 'orders'],
      ['failure_reason', 'no stock'],
    ]
    expect(read(headers)).toMatchObject({ dialect: 'onex', failure: { source: { channel: 'orders' }, errorMessage: 'no stock' } })
    const body = { original_topic: 'orders', original_message: {}, failure_reason: 'no stock' }
    expect(read([], { body: utf8(JSON.stringify(body)) }).dialect).toBe('onex')
    expect(read([], { body: utf8(JSON.stringify({ ...body, original_message: undefined })) }).dialect).toBe('generic')
  })

  test('Brighter: None is no reason', () => {
    expect(
      read([
        ['rejectionReason', 'None'],
        ['rejectionMessage', 'x'],
      ]).failure,
    ).toStrictEqual({ errorMessage: 'x' })
  })

  test('rascal: a message that it nacked to the broker bears no error, and the broker tells more', () => {
    const { dialect } = read([
      ['rascal', { originalQueue: 'orders' }],
      ['x-death', []],
    ])
    expect(dialect).toBe('rabbitmq')
  })

  test('MassTransit: one count alone is enough', () => {
    expect(
      read([
        ['MT-Reason', 'fault'],
        ['MT-Fault-RetryCount', 2],
      ]).failure.attempts,
    ).toBe(3)
    expect(
      read([
        ['MT-Reason', 'fault'],
        ['MT-Redelivery-Count', 2],
      ]).failure.attempts,
    ).toBe(3)
    expect(read([['MT-Reason', 'dead-letter']]).failure).toStrictEqual({ reason: 'dead-letter' })
  })

  test('Camel: what a route called last is not where the message came from', () => {
    const failed: Header = ['CamelFailureEndpoint', 'http://stock/reserve']
    expect(read([failed]).failure).toStrictEqual({})
    expect(read([failed, ['CamelKafkaTopic', 'orders']]).failure).toStrictEqual({ source: { channel: 'orders' } })
  })

  test('Camel: redeliveries are bytes on Kafka and a number elsewhere', () => {
    const attempts = (redeliveries: HeaderValue): number | undefined =>
      read([
        ['CamelFailureRouteId', 'r'],
        ['CamelRedeliveryCounter', redeliveries],
      ]).failure.attempts
    expect([attempts(bytesOf(3, 4)), attempts(3), attempts('3')]).toEqual([4, 4, 4])
  })

  test('Camel: a caught error of several lines is a stack trace', () => {
    const caught = 'com.acme.OutOfStock: no stock\n\tat com.acme.Stock.reserve(Stock.java:42)'
    expect(read([['CamelExceptionCaught', caught]]).failure).toStrictEqual({
      errorType: 'com.acme.OutOfStock',
      errorMessage: 'no stock',
      stack: caught,
    })
    expect(read([['CamelExceptionCaught', 'it is broken']]).failure).toStrictEqual({ errorMessage: 'it is broken' })
  })

  test('pg-boss: output is a table, its JSON, or a text', () => {
    const row = (output: unknown): ReadFailure =>
      read([], { native: { transport: 'pg-boss', properties: { sourceName: 'orders', output } } }).failure
    expect(row({ message: 'm' }).errorMessage).toBe('m')
    expect(row('{"message":"m"}').errorMessage).toBe('m')
    expect(row('m').errorMessage).toBe('m')
    expect(row(null)).not.toHaveProperty('errorMessage')
  })

  test("pg-boss: the name of a source alone may be anybody's", () => {
    expect(readLetter({ channel: 'dlq', message: { body: null, headers: [['source_name', 'crm']] } }).dialect).toBe('unknown')
  })

  test('moleculer: a stack that is no base64 is kept as it is', () => {
    expect(
      read([
        ['x-original-group', 'g'],
        ['x-error-stack', 'at x (y:1:2)'],
      ]).failure.stack,
    ).toBe('at x (y:1:2)')
  })

  test('home-made: names in a body count only together', () => {
    const body = (value: unknown): string => read([], { body: utf8(JSON.stringify(value)) }).dialect
    expect(body({ error: 'x' })).toBe('unknown')
    expect(body({ original_topic: 'x' })).toBe('unknown')
    expect(body({ original_topic: 'x', error: 'y' })).toBe('generic')
    expect(read([['error', 'x']])).toStrictEqual({ dialect: 'generic', confidence: 'guess', failure: { errorMessage: 'x' } })
  })
})
