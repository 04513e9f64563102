import { describe, expect, it } from 'vitest'
import type { Headers, Message } from '../message.ts'
import { draft, message } from './drafts.fixture.ts'
import { onexOriginal } from './onex-original.ts'
import { dialectWriters } from './writers.ts'

const encoder = new TextEncoder()

function letterOf(original: unknown, payload: object = {}, headers: Headers = []): Message {
  return { body: encoder.encode(JSON.stringify({ ...payload, original_message: original })), headers }
}

describe('the message in a letter of seed 003', () => {
  it('comes back with everything that it had', () => {
    const died = message({ key: Uint8Array.of(0, 255) })
    expect(onexOriginal(dialectWriters.onex(draft({ message: died }), 1_000_000))).toEqual(died)
  })

  it('comes back with no more than it had', () => {
    const died: Message = { body: encoder.encode('plain'), headers: [] }
    const letter = dialectWriters.onex(draft({ message: died }), 1_000_000)
    expect(onexOriginal(letter)).toStrictEqual(died)
  })

  it.each([
    ['its own id', { correlation_id: 'letter', original_correlation_id: 'message' }, [], 'message'],
    ['that of the letter, as the seed writes it', { correlation_id: 'letter' }, [], 'letter'],
    [
      'none, where it was made up for the letter',
      { correlation_id: 'letter' },
      [['redrive-correlation-id', 'made up']],
      undefined,
    ],
    ['none, where the letter has none', {}, [], undefined],
  ] as [string, object, Headers, string | undefined][])('bears %s', (_, payload, headers, expected) => {
    expect(onexOriginal(letterOf({ value: 'a' }, payload, headers))?.correlationId).toBe(expected)
  })

  it.each([
    ['text', { value: 'é' }, 'é'],
    ['bytes', { value_base64: 'w6k=' }, 'é'],
    ['bytes, even where there is text too', { value: 'shown', value_base64: 'w6k=' }, 'é'],
  ])('has its body from %s', (_, fields, body) => {
    expect(onexOriginal(letterOf(fields))?.body).toEqual(encoder.encode(body))
  })

  it.each([
    ['that are no list', 'x', []],
    ['of which one is no pair', [['a', { type: 'string', value: 'b' }], 'c', { 0: 'd' }, [1, 'e'], []], [['a', 'b']]],
    ['without a value', [['a']], [['a', null]]],
  ])('keeps what can be read of headers %s', (_, headers, expected) => {
    expect(onexOriginal(letterOf({ value: 'a', headers }))?.headers).toEqual(expected)
  })

  it.each([
    ['a list', []],
    ['null', null],
    ['text', 'a'],
    ['without a body', { key: 'a' }],
    ['with a body that is a number', { value: 5 }],
  ])('is not there when it is %s', (_, original) => {
    expect(onexOriginal(letterOf(original))).toBeUndefined()
  })

  it.each([
    ['no body', null],
    ['a list', encoder.encode('[]')],
    ['null', encoder.encode('null')],
    ['no JSON', encoder.encode('{')],
    ['no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
  ])('is not there when the letter is %s', (_, body) => {
    expect(onexOriginal({ body, headers: [] })).toBeUndefined()
  })
})
