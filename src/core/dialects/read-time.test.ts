import { describe, expect, test } from 'vitest'
import { utf8 } from './letters.fixture.ts'
import { readTime } from './read-time.ts'

const at = Date.UTC(2024, 0, 15, 14, 32, 17, 456)
const whole = Date.UTC(2024, 0, 15, 14, 32, 17)

describe('a moment', () => {
  test.each([
    ['2024-01-15T14:32:17.456Z', at],
    ['2024-01-15T14:32:17.4564561Z', at],
    ['2024-01-15T14:32:17.4Z', whole + 400],
    ['2024-01-15T14:32:17,456Z', at],
    ['2024-01-15 14:32:17:456456 Z', at],
    ['2024-01-15 14:32:17.456', at],
    ['2024-01-15 14:32:17.456 UTC', at],
    ['2024-01-15 14:32:17.456GMT', at],
    [' 2024-01-15T14:32:17.456Z\n', at],
    ['2024-01-15T14:32:17.456+00:00', at],
    ['2024-01-15T15:32:17.456+01:00', at],
    ['2024-01-15T09:02:17.456-0530', at],
    ['2024-01-15T14:32:17Z', whole],
    ['2024-01-15T14:32Z', whole - 17_000],
    ['2024-01-15', Date.UTC(2024, 0, 15)],
    ['1705329137456000000', at],
    ['1705329137.456', at],
    ['1705329137.4564561', at],
    ['1705329137.', undefined],
    ['17053291374560000000', undefined],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2023-02-29', undefined],
    ['2024-02-30T00:00:00Z', undefined],
    ['2024-13-01', undefined],
    ['2024-00-01', undefined],
    ['2024-01-00', undefined],
    ['2024-01-15T24:00:00Z', undefined],
    ['2024-01-15T14:32:17.456X', undefined],
    ['x2024-01-15', undefined],
    ['24-01-15', undefined],
    ['0001-01-01T00:00:00Z', undefined],
    ['0000-01-01', undefined],
    ['0099-12-31T23:59:59Z', undefined],
    ['0100-01-01T00:00:00Z', Date.UTC(100, 0, 1)],
    ['2024-01-16T04:32:17.456+14:00', at],
    ['2024-01-15T14:32:17.456+15:00', undefined],
    ['2024-01-15T14:32:17.456-99:99', undefined],
    ['2024-01-15T14:32:17.456+01:60', undefined],
    ['', undefined],
    [utf8('2024-01-15T14:32:17.456Z'), at],
    // since 1970, in seconds, milliseconds, microseconds and nanoseconds
    [Math.trunc(at / 1000), whole],
    [at, at],
    [String(at), at],
    [utf8(String(at)), at],
    [BigInt(at) * 1000n, at],
    [BigInt(at) * 1_000_000n, at],
    [9_999_999_999n, 9_999_999_999_000],
    [10_000_000_000n, 10_000_000_000],
    [9_999_999_999_999n, 9_999_999_999_999],
    [10_000_000_000_000n, 10_000_000_000],
    [9_999_999_999_999_999n, 9_999_999_999_999],
    [10_000_000_000_000_000n, 10_000_000_000],
    [1, 1000],
    [0, undefined],
    [-1, undefined],
    [new Date(at), at],
    [new Date(Number.NaN), undefined],
    [null, undefined],
    [[], undefined],
  ])('of %o is %o', (value, expected) => {
    expect(readTime(value)).toBe(expected)
  })
})
