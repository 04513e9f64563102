import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'
import { RedriveError } from './errors.ts'

describe('parseDuration', () => {
  it.each([
    [0, 0],
    [30, 30],
    ['0s', 0],
    ['250ms', 250],
    ['30s', 30_000],
    ['1.5s', 1500],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['00:00:05', 5000],
    ['01:30:00', 5_400_000],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['5s'.padStart(64, '0'), 5000],
  ])('reads %j as %d milliseconds', (value, ms) => {
    expect(parseDuration(value, 'timeout')).toBe(ms)
  })

  it.each([
    '',
    '30',
    '-1s',
    '5 minutes',
    '30m1h',
    '1s1s',
    '00:61:00',
    'x00:00:05',
    '00:00:05x',
    '5s'.padStart(65, '0'),
    '1e3s',
    's',
    '9'.repeat(40).concat('d'),
    `${'1'.repeat(1e6)}s`,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('refuses %.20j', (value) => {
    expect(() => parseDuration(value, 'timeout')).toThrow(RedriveError)
  })

  it('names the field, the value and what is allowed', () => {
    expect(() => parseDuration('soon', 'channel "orders": timeout')).toThrow(
      'channel "orders": timeout is "soon", which is not a duration. Allowed: a number of milliseconds from 0, or text such as "250ms", "30s", "5m", "1h30m", "2d" or "00:00:05".',
    )
  })

  it('gives a number or throws a bad-option, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          return parseDuration(text, 'timeout') >= 0
        } catch (error) {
          return error instanceof RedriveError && error.code === 'bad-option'
        }
      }),
    )
  })
})

describe('formatDuration', () => {
  it.each([
    [0, '0ms'],
    [250, '250ms'],
    [30_000, '30s'],
    [5_400_000, '1h30m'],
    [172_800_000, '2d'],
    [-5, '0ms'],
    [Number.POSITIVE_INFINITY, 'no limit'],
  ])('writes %d milliseconds as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  it('writes what parseDuration reads back as the same number', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 13 }), (ms) => {
        expect(parseDuration(formatDuration(ms), 'ms')).toBe(ms)
      }),
    )
  })
})
