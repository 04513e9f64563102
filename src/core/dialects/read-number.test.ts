import { describe, expect, test } from 'vitest'
import { bytesOf, utf8 } from './letters.fixture.ts'
import { asCount, bigEndian, wholeNumber } from './read-number.ts'

describe('a whole number', () => {
  test.each([
    [3, 3n],
    [-3, -3n],
    [0, 0n],
    [1.5, undefined],
    [2 ** 53, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [12n, 12n],
    [2n ** 70n, 2n ** 70n],
    ['42', 42n],
    [' 42 ', 42n],
    ['-42', -42n],
    ['+42', undefined],
    ['4 2', undefined],
    ['4.2', undefined],
    ['', undefined],
    ['x', undefined],
    ['1'.repeat(18), 111_111_111_111_111_111n],
    ['1'.repeat(19), undefined],
    [utf8('42'), 42n],
    [true, undefined],
    [null, undefined],
    [[], undefined],
    [{}, undefined],
  ])('of %o is %o', (value, expected) => {
    expect(wholeNumber(value)).toBe(expected)
  })
})

describe('a number in bytes', () => {
  test.each([
    [bytesOf(7, 4), 7n],
    [bytesOf(-7, 4), -7n],
    [bytesOf(7, 8), 7n],
    [bytesOf(-7, 8), -7n],
    [bytesOf(2n ** 62n, 8), 2n ** 62n],
    [bytesOf(300, 2), 300n],
    [bytesOf(-1, 1), -1n],
    [bytesOf(0x7fff_ffff, 4), 2_147_483_647n],
    [utf8('1234'), 0x31323334n],
    [utf8('12345678'), 0x3132333435363738n],
    [utf8('0'), 0n],
    [utf8('9'), 9n],
    [utf8('/'), 0x2fn],
    [utf8(':'), 0x3an],
    [utf8('123'), 123n],
    [utf8('12345'), 12345n],
    [utf8('1a'), 0x3161n],
    [utf8('123456789'), 123_456_789n],
    [utf8('abcdefghi'), undefined],
    [new Uint8Array(), undefined],
    ['12', 12n],
    [12, 12n],
    [null, undefined],
  ])('of %o is %o', (value, expected) => {
    expect(bigEndian(value)).toBe(expected)
  })
})

describe('a count', () => {
  test.each([
    [0n, 0],
    [1n, 1],
    [2_147_483_647n, 2_147_483_647],
    [2_147_483_648n, undefined],
    [-1n, undefined],
    [undefined, undefined],
  ])('of %o is %o', (value, expected) => {
    expect(asCount(value)).toBe(expected)
  })
})
