import assert from 'node:assert/strict'
import { type ErrorCode, RedriveError } from '../../core/errors.ts'
import { headerText } from '../../core/headers.ts'
import type { Headers, HeaderValue, Message } from '../../core/message.ts'
import type { Capabilities } from '../capabilities.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function bytes(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Scenarios tell messages apart by their bodies, which every broker keeps. */
export function label(message: Message): string {
  return message.body === null ? '(null)' : decoder.decode(message.body)
}

export function labels(deliveries: readonly { readonly message: Message }[]): string[] {
  return deliveries.map((delivery) => label(delivery.message))
}

export async function rejectsWith(promise: Promise<unknown>, ...codes: readonly ErrorCode[]): Promise<void> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('value' in outcome) assert.fail(`It should have been rejected with ${codes.join(' or ')}, and it was not.`)
  const { error } = outcome
  assert.ok(error instanceof RedriveError, `Not a RedriveError: ${String(error)}`)
  if (codes.length > 0) assert.ok(codes.includes(error.code), `Rejected with ${error.code} instead of ${codes.join(' or ')}.`)
}

export function assertSameBody(actual: Message, expected: Message): void {
  if (expected.body === null || actual.body === null) assert.equal(actual.body, expected.body)
  else assert.equal(Buffer.compare(actual.body, expected.body), 0, 'The body is not byte for byte what was sent.')
}

/** All that a message is, apart from headers that the broker may add. */
export function assertSameMessage(actual: Message, expected: Message, capabilities: Capabilities): void {
  assertSameBody(actual, expected)
  assert.equal(actual.id, expected.id, 'id')
  assert.equal(actual.type, expected.type, 'type')
  assert.equal(actual.contentType, expected.contentType, 'content type')
  assert.equal(actual.correlationId, expected.correlationId, 'correlation id')
  assert.deepEqual(plainKey(actual), plainKey(expected), 'key')
  assertHasHeaders(actual.headers, expected.headers, capabilities)
}

/** Every expected header is there, as often and with the values that it was sent with, in the form this broker gives back. */
export function assertHasHeaders(actual: Headers, expected: Headers, { messages }: Capabilities): void {
  for (const name of new Set(expected.map(([header]) => header))) {
    const values = valuesOf(actual, name)
    if (messages.headers === 'typed')
      assert.deepEqual(values.map(comparable), valuesOf(expected, name).map(comparable), `header ${name}`)
    else assert.deepEqual(values.map(headerText), valuesOf(expected, name).map(headerText), `header ${name}`)
    assert.ok(values.every(isInForm[messages.headers]), `Header ${name} does not come back as ${messages.headers}.`)
  }
}

/** The form is part of the contract: a value that comes back typed where the capabilities say text is an undeclared ability. */
const isInForm = {
  typed: () => true,
  bytes: (value: HeaderValue) => value instanceof Uint8Array,
  text: (value: HeaderValue) => typeof value === 'string',
} as const

function valuesOf(headers: Headers, name: string): HeaderValue[] {
  return headers.filter(([header]) => header === name).map(([, value]) => value)
}

function comparable(value: HeaderValue): HeaderValue {
  return value instanceof Uint8Array ? Buffer.from(value) : value
}

function plainKey({ key }: Message): unknown {
  return key instanceof Uint8Array ? Buffer.from(key) : key
}
