import { describe, expect, test } from 'vitest'
import { headOf } from './error-head.ts'

describe('the first line of an error', () => {
  test.each([
    ['TypeError: x is null', 'TypeError', 'x is null'],
    ['com.acme.Outer$Inner: a: b', 'com.acme.Outer$Inner', 'a: b'],
    ['std::bad_alloc: x', 'std::bad_alloc', 'x'],
    ['AssertionError [ERR_ASSERTION]: no', 'AssertionError', 'no'],
    ['SqlException (0x80131904): no', 'SqlException', 'no'],
    ['  KeyError  ', 'KeyError', ''],
    ['KeyError:', 'KeyError', ''],
    ['KeyError: ', 'KeyError', ''],
    ['_Private: x', '_Private', 'x'],
    ['it is broken', undefined, undefined],
    ['9Error: x', undefined, undefined],
    ['a b: c', undefined, undefined],
    ['a..: c', undefined, undefined],
    ['', undefined, undefined],
  ])('%j', (line, type, message) => {
    expect(headOf(line)).toEqual(type === undefined ? {} : { type, message })
  })
})
