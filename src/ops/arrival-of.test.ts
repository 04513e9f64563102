import { describe, expect, test } from 'vitest'
import { draft, message } from '../core/dialects/drafts.fixture.ts'
import { dialectWriters } from '../core/dialects/writers.ts'
import { arrivalOf } from './arrival-of.ts'

const drawn = new Uint8Array(8)
const plenty = 1_000_000

describe.each(Object.entries(dialectWriters))('a letter in the dialect %s', (_, write) => {
  const arrivalWith = (description: string, body: string) => {
    const { failure } = draft()
    const died = draft({ message: message({ body: Buffer.from(body) }), failure: { ...failure, description } })
    return arrivalOf({ message: write(died, plenty), channel: 'dlq', deliveredBefore: false, broker: 'kept' }, 0, drawn)
  }

  test('tells its cause in the words of the error, though it holds them itself', () => {
    expect(arrivalWith('the bank does not answer', '{"iban":"hidden"}').cause.title).toContain('the bank does not answer')
  })

  test('tells nothing that the error quotes from the message', () => {
    const arrival = arrivalWith('no account for maria sunshine', '{"name":"Maria Sunshine"}')
    expect(JSON.stringify([arrival.cause, arrival.errorMessage, arrival.reason])).not.toMatch(/sunshine/i)
  })
})

describe.each([
  ['home-made', { original_topic: 'orders', attempts: 3 }, 'error_message'],
  ['of ONEX, whose original is no text', { original_topic: 'orders', error_type: 'Timeout' }, 'failure_reason'],
])('a letter that is an envelope: %s', (_, told, name) => {
  const arrivalWith = (error: string, payload: unknown) => {
    const body = Buffer.from(JSON.stringify({ ...told, [name]: error, original_message: payload }))
    const letter = { message: message({ headers: [], body }), channel: 'dlq', deliveredBefore: false, broker: 'kept' as const }
    return arrivalOf(letter, 0, drawn)
  }

  test('tells its cause in the words of the error', () => {
    const { cause, errorMessage } = arrivalWith('the bank does not answer for orders', { iban: 'hidden' })
    expect(errorMessage).toBe('the bank does not answer for orders')
    expect(cause.title).toContain('the bank does not answer')
  })

  test.each([
    ['as an object', { name: 'Maria Sunshine' }],
    ['in base64', Buffer.from('{"name":"Maria Sunshine"}').toString('base64')],
    ['in base64 further inside', { data: Buffer.from('Maria Sunshine').toString('base64') }],
    ['as JSON in a text', '{"name":"Maria Sunshine"}'],
  ])('tells nothing that the error quotes from the message, which it has %s', (_, payload) => {
    const { cause, errorMessage } = arrivalWith('no account for maria sunshine', payload)
    expect(JSON.stringify([cause, errorMessage])).not.toMatch(/sunshine/i)
  })
})

test('the notice of a broker quotes no message, because it holds none', () => {
  const body = { type: 'io.nats.jetstream.advisory.v1.terminated', stream: 'ORDERS', reason: 'ORDERS has no stock for it' }
  const letter = message({ headers: [], body: Buffer.from(JSON.stringify(body)) })
  const { errorMessage } = arrivalOf({ message: letter, channel: 'dlq', deliveredBefore: false, broker: 'kept' }, 0, drawn)
  expect(errorMessage).toBe('ORDERS has no stock for it')
})

test('a failure that stands in headers is held against the whole body, whatever its members are called', () => {
  const headers = [['error_message', 'no account for maria sunshine']] as const
  const letter = message({ headers, body: Buffer.from('{"error_message":"maria sunshine","original_topic":"x"}') })
  const { dialect, errorMessage } = arrivalOf(
    { message: letter, channel: 'dlq', deliveredBefore: false, broker: 'kept' },
    0,
    drawn,
  )
  expect({ dialect, errorMessage }).toEqual({ dialect: 'generic', errorMessage: expect.stringContaining('REDACTED') })
})

describe('a letter of another program, where the broker tells its place', () => {
  const identityOf = (found: { readonly position?: string; readonly enqueuedAt?: number; readonly body?: string }) => {
    const { position = '7', enqueuedAt = 1, body = 'paid' } = found
    const foreign = message({ headers: [], body: Buffer.from(body) })
    const here = { message: foreign, channel: 'dlq', position, enqueuedAt, deliveredBefore: false, broker: 'kept' as const }
    return arrivalOf(here, 0, drawn).identity
  }

  test('is the same one when it comes again', () => {
    expect(identityOf({})).toEqual(identityOf({}))
  })

  test.each([
    ['lies elsewhere', { position: '8' }],
    ['came at another time, to a channel that was made anew', { enqueuedAt: 2 }],
    ['holds something else', { body: 'refused' }],
  ])('is another one when it %s', (_, change) => {
    expect(identityOf(change)).not.toEqual(identityOf({}))
  })
})

describe('a reason', () => {
  const reasonOf = (reason: string, body: string) => {
    const headers = [['x-death', [{ queue: 'orders', reason, count: 1n }]] as const]
    const letter = message({ headers, body: Buffer.from(body) })
    return arrivalOf({ message: letter, channel: 'dlq', deliveredBefore: false, broker: 'kept' }, 0, drawn).reason
  }

  test("that is a word of the broker's is told, although the body holds the same word", () => {
    expect(reasonOf('rejected', '{"status":"rejected"}')).toBe('rejected')
  })

  test('that quotes the body is not told', () => {
    expect(reasonOf('maria sunshine', '{"name":"maria sunshine"}')).not.toContain('sunshine')
  })
})
