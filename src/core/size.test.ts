import { describe, expect, it } from 'vitest'
import { RedriveError } from './errors.ts'
import { parseSize } from './size.ts'

describe('parseSize', () => {
  it.each([
    [0, 0],
    [512, 512],
    ['512B', 512],
    ['64KiB', 65_536],
    ['64kb', 64_000],
    ['1MB', 1_000_000],
    ['1.5MiB', 1_572_864],
    ['2GiB', 2_147_483_648],
  ])('reads %j as %d bytes', (value, bytes) => {
    expect(parseSize(value, 'maxBody')).toBe(bytes)
  })

  it.each([
    '',
    '64',
    '64K',
    '-1B',
    'iB',
    '1 MB',
    '9999999999999999GiB',
    `${'1'.repeat(1e6)}B`,
    1.5,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('refuses %.20j', (value) => {
    expect(() => parseSize(value, 'maxBody')).toThrow(RedriveError)
  })

  it('names the field, the value and what is allowed', () => {
    expect(() => parseSize('big', 'maxBody')).toThrow(
      'maxBody is "big", which is not a size. Allowed: a whole number of bytes from 0, or text such as "512B", "64KiB", "1MB" or "2GiB".',
    )
  })
})
