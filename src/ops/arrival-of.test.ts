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
