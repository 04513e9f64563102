import { describe, expect, test } from 'vitest'
import type { Headers, Message } from '../message.ts'
import { type LetterFields, letterFields } from './letter-fields.ts'
import { utf8 } from './letters.fixture.ts'

function fields(headers: Headers, changes: Partial<Message> = {}): LetterFields {
  return letterFields({ channel: 'q', message: { body: null, headers, ...changes } })
}

describe('a letter is asked', () => {
  const letter = fields(
    [
      ['Name', 'other case'],
      ['name', 'first'],
      ['name', 'last'],
      ['empty', ''],
      ['null', null],
      ['table', { Inner: 'x' }],
      ['torn', 'no number'],
      ['torn', 7],
    ],
    { native: { transport: 't', properties: { name: 'of the broker', Attribute: 4 } } },
  )

  test('by names, in their own case first', () => {
    expect(letter.text('name')).toBe('first')
    expect(letter.text('Name')).toBe('other case')
    expect(letter.text('NAME')).toBe('other case')
    expect(letter.lastText('name')).toBe('of the broker')
    expect(letter.count('attribute')).toBe(4)
    expect(letter.text('nobody', 'empty', 'null', 'name')).toBe('first')
    expect(letter.text('nobody')).toBeUndefined()
  })

  test('whether it has one', () => {
    expect([letter.has('NAME'), letter.has('null'), letter.has('nobody')]).toEqual([true, true, false])
    expect([letter.hasExactly('name'), letter.hasExactly('NAME')]).toEqual([true, false])
    expect([letter.value('name'), letter.value('null'), letter.value('nobody')]).toEqual(['first', null, undefined])
  })

  test('for what can be read among what repeats', () => {
    expect(letter.count('torn')).toBe(7)
    expect(letter.number('torn')).toBe(7n)
    expect(letter.binaryNumber('torn')).toBe(7n)
  })

  test('for a table, or the text of one', () => {
    expect(letter.table('table')?.text('inner')).toBe('x')
    expect(letter.table('name')).toBeUndefined()
    expect(
      fields([['t', '{"a":1}']])
        .table('t')
        ?.count('a'),
    ).toBe(1)
    expect(fields([['t', '[1]']]).table('t')).toBeUndefined()
    expect(fields([['t', 'null']]).table('t')).toBeUndefined()
    expect(letter.table('table')?.json()).toBeUndefined()
  })

  test('for at most 64 KiB of a text, well formed', () => {
    expect(fields([['t', 'x'.repeat(65_537)]]).text('t')).toHaveLength(65_536)
    expect(fields([['t', '\ud800']]).text('t')).toBe('\ufffd')
  })

  test('for times in text and in bytes', () => {
    const times = fields([
      ['text', '2024-01-15T00:00:00Z'],
      ['bytes', Uint8Array.of(1, 0x8d, 0, 0, 0, 0)],
    ])
    expect(times.time('text')).toBe(Date.UTC(2024, 0, 15))
    expect(times.binaryTime('text')).toBe(Date.UTC(2024, 0, 15))
    expect(times.binaryTime('bytes')).toBe(0x018d_0000_0000)
  })
})

describe('a body is asked as if its members were headers', () => {
  const json = (body: Uint8Array | null): LetterFields | undefined => fields([], { body }).json()

  test('where it is a JSON object', () => {
    expect(json(utf8(' \n{"A":1,"b":{"c":"d"}}'))?.count('a')).toBe(1)
    expect(json(utf8('{"b":{"c":"d"}}'))?.table('b')?.text('c')).toBe('d')
    expect(json(utf8('{"__proto__":"x"}'))?.text('__proto__')).toBe('x')
  })

  test.each([
    ['null', null],
    ['nothing', utf8('')],
    ['a list', utf8('[{}]')],
    ['a text', utf8('"{}"')],
    ['broken', utf8('{"a":')],
    ['larger than 4 MiB', utf8(`{"a":"${'x'.repeat(4_194_304)}"}`)],
  ])('and not where it is %s', (_, body) => {
    expect(json(body)).toBeUndefined()
  })

  test('and parsed once', () => {
    const letter = fields([], { body: utf8('{"a":1}') })
    expect(letter.json()).toBe(letter.json())
    expect(
      fields([], { body: utf8(`{"a":"${'x'.repeat(4_000_000)}"}`) })
        .json()
        ?.text('a'),
    ).toHaveLength(65_536)
  })
})
