import fc from 'fast-check'
import type { LetterDraft } from '../letter.ts'
import type { HeaderValue, Message } from '../message.ts'

/** A draft in which everything is plain, to be changed where a test looks. */
export function draft(changes: Partial<LetterDraft> = {}): LetterDraft {
  return {
    message: message(),
    failure: {
      reason: 'MaxDeliveryCountExceeded',
      description: 'Database connection timeout after 30s',
      errorType: 'InfraTimeoutError',
      class: 'retryable',
      at: Date.UTC(2024, 0, 15, 14, 32, 17, 456),
      attempts: 4,
      deliveries: 5,
    },
    failedRuns: [],
    origin: { channel: 'orders', group: 'billing', position: 'orders/3/42', firstPosition: 'orders/3/42' },
    consumer: { service: 'order-service', version: '1.4.0', environment: 'dev' },
    letter: 'letter-1',
    generation: 0,
    correlationId: '550e8400-e29b-41d4-a716-446655440000',
    retries: 3,
    maxRetries: 3,
    newId: () => '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    writtenAt: Date.UTC(2024, 0, 15, 14, 32, 17, 789),
    ...changes,
  }
}

export function message(changes: Partial<Message> = {}): Message {
  return {
    id: 'm-1',
    body: new TextEncoder().encode('{"order_id": "12345"}'),
    headers: [
      ['tenant', 'acme'],
      ['tries', 3],
      ['tenant', Uint8Array.of(0, 255)],
    ],
    key: 'order-12345',
    type: 'order.created',
    contentType: 'application/json',
    correlationId: '550e8400-e29b-41d4-a716-446655440000',
    native: { transport: 'memory', properties: { priority: 4 } },
    ...changes,
  }
}

const { headerValue } = fc.letrec<{ headerValue: HeaderValue }>((tie) => ({
  headerValue: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    fc.bigInt(),
    fc.string({ unit: 'grapheme' }),
    fc.uint8Array(),
    fc.date(),
    fc.array(tie('headerValue'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('headerValue'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

export const anyHeaders: fc.Arbitrary<(readonly [string, HeaderValue])[]> = fc.array(fc.tuple(fc.string(), headerValue))

/** Any message, with or without a body, a key or a type, and a failure with a description and a stack of any text. */
export const anyDraft: fc.Arbitrary<LetterDraft> = fc
  .record({
    headers: anyHeaders,
    body: fc.option(fc.uint8Array()),
    key: fc.option(fc.oneof(fc.string(), fc.uint8Array())),
    description: fc.string({ unit: 'grapheme', maxLength: 1024 }),
    stack: fc.option(fc.string({ maxLength: 9000 })),
    reason: fc.string(),
    generation: fc.nat({ max: 3 }),
  })
  .map(({ headers, body, key, description, stack, reason, generation }) => {
    const { failure } = draft()
    return draft({
      message: { headers, body, ...(key === null ? {} : { key }) },
      failure: { ...failure, reason, description, ...(stack === null ? {} : { stack }) },
      generation,
    })
  })
