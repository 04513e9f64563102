import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { glob } from '../glob.ts'
import { redriveHeaders } from '../letter.ts'
import type { Message } from '../message.ts'
import { anyDraft, draft, message } from './drafts.fixture.ts'
import { letterHeaderNames } from './letter-headers.ts'
import { originalOf } from './original.ts'
import { readLetter } from './read-letter.ts'
import { dialectReaders } from './readers.ts'
import { dialectWriters } from './writers.ts'

const plenty = 1_000_000

/** Without what no replay could keep: what the dialect writes itself, under the same names. */
function withoutItsNames(original: Message, dialect: string): Message {
  const patterns = dialectReaders.find(({ name }) => name === dialect)?.headers.map(glob) ?? []
  const isTaken = (name: string) =>
    letterHeaderNames.has(name) || name === redriveHeaders.replay || patterns.some((matches) => matches(name))
  return { ...original, headers: original.headers.filter(([name]) => !isTaken(name)) }
}

describe.each(Object.entries(dialectWriters))('a letter in the dialect %s', (_, write) => {
  test('gives back the message that died', () => {
    const died = message({
      headers: [
        ['tenant', 'acme'],
        ['trace', new Uint8Array([1, 2])],
      ],
    })
    const letter = write(draft({ message: died }), plenty)
    const { dialect } = readLetter({ channel: 'dlq', message: letter })
    expect(originalOf(letter, dialect)).toMatchObject({ body: died.body, headers: died.headers })
  })

  test('gives back any message, body and headers as they were', () => {
    fc.assert(
      fc.property(anyDraft, (some) => {
        const letter = write(some, plenty)
        const { dialect } = readLetter({ channel: 'dlq', message: letter })
        const expected = withoutItsNames(some.message, dialect)
        const restored = originalOf(letter, dialect)
        expect(restored.body).toStrictEqual(expected.body)
        expect(restored.headers).toStrictEqual(expected.headers)
        expect(restored.key).toStrictEqual(expected.key)
        expect(restored.correlationId).toBe(expected.correlationId)
      }),
    )
  })
})

test('a tombstone comes back as a tombstone', () => {
  const letter = dialectWriters.onex(draft({ message: message({ body: null }) }), plenty)
  expect(originalOf(letter, 'onex').body).toBeNull()
})

test('what nobody recognises goes back as it is', () => {
  const strange: Message = { body: new Uint8Array([1]), headers: [['x', 1]] }
  expect(originalOf(strange, 'unknown')).toEqual(strange)
})

test.each([
  ['no JSON', 'not json'],
  ['no original', '{}'],
  ['an original that is none', '{"original_message":3}'],
  ['an original without a body', '{"original_message":{"key":"a"}}'],
])('a letter that only looks like seed 003 goes back as it is: %s', (_, body) => {
  const letter: Message = { body: new TextEncoder().encode(body), headers: [] }
  expect(originalOf(letter, 'onex')).toEqual(letter)
})

test('what dialects wrote by which a letter bears a certain sign is taken off, and all else is kept', () => {
  const died: Message = {
    body: null,
    headers: [
      ['tenant', 'acme'],
      ['redrive-reason', 'PoisonMessage'],
      ['redrive-replay', '7'],
      ['redrive-body', 'kept: the body stands elsewhere'],
      ['__connect.errors.topic', 'orders'],
      ['x-death', [{ queue: 'orders' }]],
      ['reason', 'of the application'],
    ],
  }
  const names = (dialect: string): readonly string[] => originalOf(died, dialect).headers.map(([name]) => name)
  expect(names('unknown')).toEqual(['tenant', 'redrive-body', 'reason'])
})

test('what dialects wrote is taken off in whatever case a bridge has put it', () => {
  const died: Message = {
    body: null,
    headers: [
      ['Tenant', 'acme'],
      ['Original-Topic', 'orders'],
      ['Error-Message', 'no stock'],
      ['mt-fault-message', 'no stock'],
    ],
  }
  const names = (dialect: string): readonly string[] => originalOf(died, dialect).headers.map(([name]) => name)
  expect(names('generic')).toEqual(['Tenant'])
  expect(names('masstransit')).toEqual(['Tenant', 'Original-Topic', 'Error-Message'])
})

test('only a letter of seed 003 is unwrapped', () => {
  const letter: Message = { body: new TextEncoder().encode('{"original_message":{"value":"inner"}}'), headers: [] }
  expect(originalOf(letter, 'generic')).toEqual(letter)
  expect(originalOf(letter, 'onex').body).toEqual(new TextEncoder().encode('inner'))
})
