import { describe, expect, it } from 'vitest'
import { isExactNumber, isJsonList, isJsonObject, parseExactly, printExactly } from './exact-json.ts'

it.each(['12345678901234567890', '1.0', '1e2', '-0', '0.1', '5', '"1.0"', 'null', '[1.0,{"a":1e400}]'])(
  '%s is printed as it was read',
  (text) => {
    expect(printExactly(parseExactly(text))).toBe(text)
  },
)

it('can be printed for people', () => {
  expect(printExactly(parseExactly('{"a":1.0}'), 2)).toBe('{\n  "a": 1.0\n}')
})

it('is refused when it is no JSON', () => {
  expect(() => parseExactly('{')).toThrow(SyntaxError)
})

describe('a value', () => {
  it.each([
    ['{}', { object: true }],
    ['[]', { list: true }],
    ['1.0', { number: true }],
    // A number that JavaScript writes alike needs no keeping.
    ['1', {}],
    ['null', {}],
    ['"a"', {}],
  ])('%s is told from others', (text, kinds) => {
    const value = parseExactly(text)
    expect({ object: isJsonObject(value), list: isJsonList(value), number: isExactNumber(value) }).toEqual({
      object: false,
      list: false,
      number: false,
      ...kinds,
    })
  })

  it('that is not there is none of them', () => {
    expect([isJsonObject(undefined), isJsonList(undefined)]).toEqual([false, false])
  })
})
