import { describe, expect, it } from 'vitest'
import type { HeaderValue } from '../message.ts'
import { fromTypedJson, typedJson } from './typed-json.ts'

describe('a value of a header as JSON', () => {
  it.each<[string, HeaderValue, object]>([
    ['nothing', null, { type: 'null' }],
    ['a truth', true, { type: 'boolean', value: true }],
    ['text', 'a', { type: 'string', value: 'a' }],
    ['a number', 1.5, { type: 'number', value: '1.5' }],
    ['zero', 0, { type: 'number', value: '0' }],
    ['minus zero', -0, { type: 'number', value: '-0' }],
    ['no number', Number.NaN, { type: 'number', value: 'NaN' }],
    ['a long number', 2n ** 64n, { type: 'bigint', value: '18446744073709551616' }],
    ['a long number below zero', -5n, { type: 'bigint', value: '-5' }],
    ['bytes', Uint8Array.of(0xc3, 0xa9), { type: 'bytes', value: 'w6k=' }],
    ['a date', new Date(42), { type: 'date', value: '42' }],
    ['a list', ['a', null], { type: 'list', value: [{ type: 'string', value: 'a' }, { type: 'null' }] }],
    ['a table', { b: 'c' }, { type: 'table', value: [['b', { type: 'string', value: 'c' }]] }],
  ])('says what it was, and comes back as it was: %s', (_, value, json) => {
    expect(typedJson(value)).toStrictEqual(json)
    expect(fromTypedJson(json)).toStrictEqual(value)
  })

  it.each([undefined, () => {}, Symbol('a')])('is null for %s, which no header holds', (value) => {
    expect(typedJson(value)).toEqual({ type: 'null' })
  })

  it('ends 32 levels down, in both directions', () => {
    const nest = (levels: number): HeaderValue => Array.from({ length: levels }).reduce<HeaderValue>((inner) => [inner], 'a')
    expect(fromTypedJson(typedJson(nest(32)))).toEqual(nest(32))
    expect(JSON.stringify(typedJson(nest(33)))).not.toContain('"a"')
    const tables = Array.from({ length: 33 }).reduce<HeaderValue>((inner) => ({ inner }), 'a')
    expect(JSON.stringify(typedJson(tables))).not.toContain('"a"')
    const tooDeep = Array.from({ length: 40 }).reduce<object>((inner) => ({ type: 'list', value: [inner] }), { type: 'null' })
    expect(JSON.stringify(fromTypedJson(tooDeep))).toBe(`${'['.repeat(33)}null${']'.repeat(33)}`)
  })

  it.each([
    ['text alone', 'a'],
    ['null', null],
    ['a truth in words', { type: 'boolean', value: 'true' }],
    ['a list that is none', { type: 'list', value: 'a' }],
    ['a table that is none', { type: 'table', value: {} }],
    ['text that is none', { type: 'string', value: 5 }],
    ['a long number that is none', { type: 'bigint', value: '5x' }],
    ['a long number with a word before it', { type: 'bigint', value: 'x5' }],
    ['a long number without an end', { type: 'bigint', value: '1'.repeat(401) }],
    ['a kind that nobody knows', { type: 'colour', value: 'red' }],
    ['no kind', { value: 'a' }],
  ])('is nothing where somebody else wrote it: %s', (_, json) => {
    expect(fromTypedJson(json)).toBeUndefined()
  })

  it('keeps of a list and a table what can be read', () => {
    const a = { type: 'string', value: 'a' }
    expect(fromTypedJson({ type: 'list', value: [a, 5] })).toEqual(['a', null])
    expect(fromTypedJson({ type: 'table', value: [['x', a], ['y', 5], [1, a], 'z'] })).toEqual({ x: 'a', y: null })
  })

  it('takes a member called __proto__ for a member', () => {
    const table = fromTypedJson({ type: 'table', value: [['__proto__', { type: 'string', value: 'a' }]] })
    expect(Object.entries(table as object)).toEqual([['__proto__', 'a']])
  })
})
