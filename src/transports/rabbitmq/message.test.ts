import type { Message as AmqpMessage } from 'amqplib'
import { describe, expect, test } from 'vitest'
import type { HeaderValue, Message } from '../../core/message.ts'
import { rabbitmqCapabilities } from './capabilities.ts'
import { decodeHeader, encodeHeader } from './header-values.ts'
import { toMessage, toPublish } from './message.ts'

const limits = rabbitmqCapabilities({ queueType: 'quorum', maxBody: 1024 }).messages
const body = new TextEncoder().encode('x')

function received(properties: object, headers: object = {}): AmqpMessage {
  const fields = { deliveryTag: 1, redelivered: false, exchange: 'orders', routingKey: 'eu' }
  return { content: Buffer.from('x'), fields, properties: { ...properties, headers } } as unknown as AmqpMessage
}

/** What a copy looks like on the wire when a received message is published as it is. */
function republished(properties: object, headers?: object) {
  return toPublish(toMessage(received(properties, headers)), limits)
}

describe('a copy of a received message', () => {
  test('keeps its properties, and is persistent whatever the original was', () => {
    const kept = { priority: 7, replyTo: 'answers', timestamp: 1_700_000_000, appId: 'shop', contentEncoding: 'gzip' }
    const named = { messageId: 'm-1', type: 'order', contentType: 'text/plain', correlationId: 'c-1' }
    expect(republished({ ...kept, ...named, deliveryMode: 1 })).toMatchObject({
      ...kept,
      ...named,
      persistent: true,
      mandatory: true,
    })
  })

  test('carries what must not be published again, and gives it back on the next receipt', () => {
    const copy = republished({ expiration: '60000', userId: 'shop' }, { CC: ['audit'] })
    expect(copy).not.toHaveProperty('expiration')
    expect(copy).not.toHaveProperty('userId')
    expect(copy.headers).not.toHaveProperty('CC')
    const again = toMessage(received({}, copy.headers))
    expect(again.native?.properties).toMatchObject({ expiration: '60000', userId: 'shop' })
    expect(again.headers).toEqual([['CC', ['audit']]])
  })

  test('does not repeat what the broker wrote about the past of the original', () => {
    const past = {
      'x-death': [{ count: 99 }],
      'x-delivery-count': 5,
      'x-first-death-queue': 'q',
      'x-last-death-reason': 'expired',
    }
    const { headers } = republished({}, { ...past, tenant: 'north' })
    expect(Object.keys(headers).filter((name) => !name.startsWith('redrive-'))).toEqual(['tenant'])
  })

  test('carries how the original was first published, through any number of copies', () => {
    const { headers } = republished({})
    expect(headers).toEqual({ 'redrive-exchange': 'orders', 'redrive-routing-key': 'eu' })
    const fields = { exchange: 'redrive.return', routingKey: 'home' }
    const again = toMessage({ ...received({}, headers), fields } as unknown as AmqpMessage)
    expect(again.headers).toEqual([])
    expect(toPublish(again, limits).headers).toEqual(headers)
  })

  test('that has been dead before carries how it was published before that', () => {
    const death = { queue: 'work', reason: 'rejected', exchange: 'shop', 'routing-keys': ['placed'] }
    expect(republished({}, { 'x-death': [death] }).headers).toEqual({
      'redrive-exchange': 'shop',
      'redrive-routing-key': 'placed',
    })
  })

  test('of another transport brings none of its native properties', () => {
    const foreign: Message = { body, headers: [], native: { transport: 'kafka', properties: { priority: 3 } } }
    expect(toPublish(foreign, limits)).not.toHaveProperty('priority')
  })
})

describe('a message that RabbitMQ cannot hold', () => {
  const message = (rest: Partial<Message>): Message => ({ body, headers: [], ...rest })
  test.each([
    ['an id of more than 255 bytes', message({ id: 'x'.repeat(256) }), 'bad-message'],
    [
      'two headers of one name',
      message({
        headers: [
          ['a', 1],
          ['a', 2],
        ],
      }),
      'bad-message',
    ],
    ['a header name of more than 255 bytes', message({ headers: [['x'.repeat(256), 1]] }), 'bad-message'],
    ['a body above the limit', message({ body: new Uint8Array(1025) }), 'too-large'],
    ['headers above the limit', message({ headers: [['a', 'x'.repeat(70_000)]] }), 'too-large'],
  ])('%s is refused', (_, bad, code) => {
    expect(() => toPublish(bad, limits)).toThrow(expect.objectContaining({ code }))
  })
})

describe('a header value', () => {
  const values: readonly HeaderValue[] = [
    ...[null, true, 0, 127, 128, -32_769, 2 ** 40, 1.5, 'text', ''],
    ...[2n ** 60n, -(2n ** 62n)],
    { inner: { list: [1, 'two', null, { deep: true }] } },
    [[1], [[2]]],
  ]
  test.each(values.map((value) => [value]))('$0 comes back as it was', (value) => {
    const wire = encodeHeader(value, 'h')
    const read = typeof value === 'bigint' ? Number((wire as { value: bigint }).value) : wire
    expect(decodeHeader(read)).toEqual(value)
  })

  test.each<[string, HeaderValue]>([
    ['a bigint that the library would round', 2n ** 60n + 1n],
    ['a bigint beyond 64 bits', 2n ** 64n],
    ['a number beyond 2^53', 2 ** 60],
    ['a time with a fraction of a second', new Date(1_700_000_000_123)],
    ['a table with a key that the library reads as a type', { '!': 'int8', value: 1 }],
  ])('%s is refused, and never altered', (_, value) => {
    expect(() => encodeHeader(value, 'h')).toThrow(expect.objectContaining({ code: 'bad-message' }))
  })

  test('of the types decimal and timestamp survives being read and written', () => {
    const decimal = { '!': 'decimal', value: { places: 2, digits: 1999 } }
    expect(encodeHeader(decodeHeader(decimal), 'h')).toEqual(decimal)
    const time = { '!': 'timestamp', value: 1_700_000_000 }
    expect(decodeHeader(time)).toEqual(new Date(1_700_000_000_000))
    expect(encodeHeader(decodeHeader(time), 'h')).toEqual(time)
  })
})
