import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { headersSize, textHeader } from '../headers.ts'
import type { LetterDraft } from '../letter.ts'
import type { HeaderValue, Message } from '../message.ts'
import { anyDraft, draft, message } from './drafts.fixture.ts'
import { letterHeaderNames } from './letter-headers.ts'
import { onex } from './onex.ts'
import type { TypedJson } from './typed-json.ts'

const plenty = 1_000_000

interface Payload {
  readonly original_message: OriginalMessage
  readonly failure_reason: string
  readonly failure_timestamp: string
  readonly correlation_id: string
  readonly retry_count: number
}

interface OriginalMessage {
  readonly key: string | null
  readonly key_base64?: string
  readonly value_base64: string
  readonly value_is_null?: boolean
  readonly offset: number
  readonly partition: number
  readonly headers: readonly (readonly [string, TypedJson])[]
}

function textOf(letter: Message): string {
  return new TextDecoder().decode(letter.body ?? new Uint8Array())
}

function parsed(letter: Message): Payload {
  return JSON.parse(textOf(letter))
}

function payloadOf(changes: Partial<LetterDraft> = {}): Payload {
  return parsed(onex(draft(changes), plenty))
}

describe('seed 003 payload', () => {
  test('seed 003 payload: every required field stands in it with its type', () => {
    fc.assert(
      fc.property(anyDraft, (some) => {
        const payload = parsed(onex(some, plenty))
        expect(payload).toMatchObject({
          original_topic: expect.any(String),
          original_message: { value: expect.any(String) },
          failure_reason: expect.any(String),
          error_type: expect.any(String),
        })
        expect(payload.failure_timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
        expect(payload.correlation_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
        for (const count of [payload.retry_count, payload.original_message.offset, payload.original_message.partition]) {
          expect(Number.isInteger(count)).toBe(true)
        }
        expect(payload.original_message.key === null || typeof payload.original_message.key === 'string').toBe(true)
      }),
    )
  })

  test("seed 003 payload: it is the seed's example for the example's message", () => {
    expect(payloadOf()).toMatchObject({
      original_topic: 'orders',
      original_message: { key: 'order-12345', value: '{"order_id": "12345"}', offset: 42, partition: 3 },
      failure_reason: 'Database connection timeout after 30s',
      failure_timestamp: '2024-01-15T14:32:17.456+00:00',
      correlation_id: '550e8400-e29b-41d4-a716-446655440000',
      retry_count: 3,
      error_type: 'InfraTimeoutError',
    })
  })

  test('a correlation id that is no UUID stands beside one that is', () => {
    const foreign = draft({ correlationId: 'trace-7', message: message({ correlationId: 'trace-7' }) })
    const letter = onex(foreign, plenty)
    expect(parsed(letter)).toMatchObject({ correlation_id: foreign.newId(), original_correlation_id: 'trace-7' })
    expect(textHeader(letter.headers, 'correlation_id')).toBe(foreign.newId())
    expect(payloadOf()).not.toHaveProperty('original_correlation_id')
  })

  test('an offset beyond 2^53 keeps all its digits, and what is no log has offset and partition 0', () => {
    const exact = onex(draft({ origin: { channel: 'orders', firstPosition: 'orders/1/9223372036854775807' } }), plenty)
    expect(textOf(exact)).toContain('"offset":9223372036854775807,"partition":1,')
    expect(payloadOf({ origin: { channel: 'orders' } }).original_message).toMatchObject({ offset: 0, partition: 0 })
  })

  test('a tombstone is told from an empty body', () => {
    const { original_message: tombstone } = payloadOf({ message: message({ body: null }) })
    const { original_message: empty } = payloadOf({ message: message({ body: new Uint8Array() }) })
    expect(tombstone).toMatchObject({ value: '', value_base64: '', value_is_null: true })
    expect(empty).toMatchObject({ value: '', value_base64: '' })
    expect(empty).not.toHaveProperty('value_is_null')
  })

  test('a failure without a description has its reason for one', () => {
    const { failure } = draft()
    expect(payloadOf({ failure: { ...failure, description: '' } }).failure_reason).toBe('MaxDeliveryCountExceeded')
  })

  test('any message can be restored from it, and a replay that fails again makes a letter of the same size', () => {
    fc.assert(
      fc.property(anyDraft, (some) => {
        const letter = onex(some, plenty)
        const restored = restore(parsed(letter).original_message)
        const own = some.message.headers.filter(([name]) => !letterHeaderNames.has(name))
        expect(restored).toStrictEqual({ ...some.message, headers: own })
        expect(onex({ ...some, message: restored }, plenty)).toStrictEqual(letter)
      }),
    )
  })

  test('the id, type, content type and native properties of the message are in it', () => {
    expect(payloadOf().original_message).toMatchObject({
      id: 'm-1',
      type: 'order.created',
      content_type: 'application/json',
      native: { type: 'table' },
    })
  })

  test('the live counter of attempts is not in it, so that a replay starts from none', () => {
    const headers = [['redrive-attempts', 3]] as const
    expect(payloadOf({ message: message({ headers }) }).original_message.headers).toEqual([])
  })

  test('values that hold themselves end', () => {
    const list: HeaderValue[] = []
    list.push(list)
    expect(() => payloadOf({ message: message({ headers: [['x', list]] }) })).not.toThrow()
  })
})

describe('seed 003 headers', () => {
  test('seed 003 headers: the whole table, in its order', () => {
    const { headers } = onex(draft(), plenty)
    expect(headers.filter(([name]) => !name.startsWith('redrive-'))).toEqual([
      ['content_type', 'application/json'],
      ['correlation_id', '550e8400-e29b-41d4-a716-446655440000'],
      ['message_id', '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
      ['timestamp', '2024-01-15T14:32:17.789+00:00'],
      ['source', 'dev.billing'],
      ['event_type', 'dlq_message'],
      ['schema_version', '1.0.0'],
      ['priority', 'normal'],
      ['retry_count', '0'],
      ['max_retries', '3'],
      ['original_topic', 'orders'],
      ['failure_reason', 'Database connection timeout after 30s'],
      ['failure_timestamp', '2024-01-15T14:32:17.456+00:00'],
    ])
  })

  test('a long failure reason is cut to its budget in the headers and whole in the payload', () => {
    const { failure } = draft()
    const letter = onex(draft({ failure: { ...failure, description: 'é'.repeat(1024) } }), 2000)
    expect(headersSize(letter.headers)).toBeLessThanOrEqual(2000)
    expect(textHeader(letter.headers, 'failure_reason')).toMatch(/^é+…$/)
    expect(parsed(letter).failure_reason).toBe('é'.repeat(1024))
  })

  test('the letter is a message of its own that keeps the key', () => {
    expect(onex(draft(), plenty)).toMatchObject({
      id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
      key: 'order-12345',
      type: 'dlq_message',
      contentType: 'application/json',
      correlationId: '550e8400-e29b-41d4-a716-446655440000',
    })
  })
})

function restore(original: OriginalMessage): Message {
  const key = original.key_base64 === undefined ? original.key : bytesOf(original.key_base64)
  return {
    headers: original.headers.map(([name, value]) => [name, restoredValue(value)]),
    body: original.value_is_null ? null : bytesOf(original.value_base64),
    ...(key === null ? {} : { key }),
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(Buffer.from(base64, 'base64'))
}

function restoredValue(json: TypedJson): HeaderValue {
  switch (json.type) {
    case 'null':
      return null
    case 'boolean':
    case 'string':
      return json.value
    case 'number':
      return Number(json.value)
    case 'bigint':
      return BigInt(json.value)
    case 'bytes':
      return bytesOf(json.value)
    case 'date':
      return new Date(Number(json.value))
    case 'list':
      return json.value.map(restoredValue)
    case 'table':
      return Object.fromEntries(json.value.map(([name, value]) => [name, restoredValue(value)]))
  }
}
