import { describe, expect, it, test } from 'vitest'
import {
  countHeader,
  header,
  headerSize,
  headersFit,
  headersSize,
  headerText,
  isTable,
  keyText,
  textHeader,
  utf8Length,
  withHeaders,
  withoutHeaders,
} from './headers.ts'
import type { Header, Headers, HeaderValue } from './message.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('a header', () => {
  const headers: Headers = [
    ['a', 'first'],
    ['b', null],
    ['a', 'second'],
  ]

  it('that repeats is read as the oldest', () => {
    expect([header(headers, 'a'), header(headers, 'b'), header(headers, 'c')]).toEqual(['first', null, undefined])
    expect([textHeader(headers, 'a'), textHeader(headers, 'b'), textHeader(headers, 'c')]).toEqual([
      'first',
      undefined,
      undefined,
    ])
  })

  it.each<[HeaderValue, string | undefined]>([
    ['text', 'text'],
    [5, '5'],
    [5n, '5'],
    [true, 'true'],
    [bytes('é'), 'é'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(Number.NaN), undefined],
    [null, undefined],
    [['a'], undefined],
    [{ a: 'b' }, undefined],
  ])('%o is the text %j', (value, text) => {
    expect(headerText(value)).toBe(text)
  })

  it.each<[HeaderValue, number | undefined]>([
    ['0', 0],
    ['42', 42],
    [42, 42],
    [bytes('42'), 42],
    ['999999999', 999_999_999],
    // Anything else may be forged or torn.
    ['1000000000', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['4 2', undefined],
    ['x42', undefined],
    ['42x', undefined],
    ['', undefined],
    [null, undefined],
  ])('%j is the count %j', (value, count) => {
    expect(countHeader([['n', value]], 'n')).toBe(count)
  })

  test.each<[string, HeaderValue, boolean]>([
    ['a table', { a: 'b' }, true],
    ['an empty table', {}, true],
    ['a list', [], false],
    ['null', null, false],
    ['bytes', bytes(''), false],
    ['a date', new Date(0), false],
    ['text', 'a', false],
  ])('%s: is it a table?', (_, value, answer) => {
    expect(isTable(value)).toBe(answer)
  })
})

describe('headers that are replaced', () => {
  const headers: Headers = [
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
  ]

  it('lose all of that name and stand at the end, in the order given', () => {
    const added: Headers = [
      ['a', '4'],
      ['c', '5'],
    ]
    expect(withHeaders(headers, added)).toEqual([['b', '2'], ...added])
  })

  it('are left as they are, and not copied, where nothing changes', () => {
    expect(withHeaders(headers, [])).toBe(headers)
    expect(withoutHeaders(headers, (name) => name === 'c')).toBe(headers)
  })

  it('can be dropped by name', () => {
    expect(withoutHeaders(headers, (name) => name === 'a')).toEqual([['b', '2']])
  })
})

describe('the weight of headers', () => {
  /** The name, the value, and eight for the framing. */
  it.each<[Header, number]>([
    [['ab', 'cd'], 12],
    [['é', '€'], 13],
    [['a', null], 10],
    [['a', true], 10],
    [['a', 1], 17],
    [['a', 1n], 17],
    [['a', new Date(0)], 17],
    [['a', bytes('abc')], 12],
    [['a', ['b', 'c']], 17],
    [['a', []], 13],
    [['a', { b: 'c' }], 19],
  ])('%o weighs %d', (entry, size) => {
    expect(headerSize(entry)).toBe(size)
    expect(headersSize([entry, entry])).toBe(2 * size)
  })

  it.each<[Headers, number]>([
    [[['ab', 'cd']], 12],
    [[['a', 1]], 17],
    [[['€', '€€']], 17],
    [
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
      20,
    ],
    [[], 0],
  ])('%j fit into exactly %d', (headers, size) => {
    expect([headersFit(headers, size), headersFit(headers, size - 1), headersFit(headers, 10 * size)]).toEqual([
      true,
      false,
      true,
    ])
  })
})

it.each([
  ['', 0],
  ['a\u007f', 2],
  ['\u0080\u07ff', 4],
  ['\u0800\ud7ff\ue000\uffff', 12],
  ['😀', 4],
  ['😀a', 5],
  // Half a pair, alone, becomes a replacement character.
  ['\ud800', 3],
  ['\udc00a', 4],
])('%j is %d bytes of UTF-8', (text, length) => {
  expect([utf8Length(text), bytes(text).length]).toEqual([length, length])
})

it('keys of bytes that are no text stay apart', () => {
  expect([keyText('a'), keyText(Uint8Array.of(0xff, 0x0a)), keyText(Uint8Array.of(0xfe, 0x0a))]).toEqual([
    'a',
    'bytes:ff0a',
    'bytes:fe0a',
  ])
})
