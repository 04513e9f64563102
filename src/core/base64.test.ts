import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { base64, fromBase64 } from './base64.ts'

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values)

describe('base64', () => {
  test.each([
    ['', bytes()],
    ['AA==', bytes(0)],
    ['AA', bytes(0)],
    ['/+8=', bytes(0xff, 0xef)],
    ['AQID', bytes(1, 2, 3)],
    ['AQ ID\nBA==', bytes(1, 2, 3, 4)],
    ['A', undefined],
    ['AAAAA', undefined],
    ['AA-_', undefined],
    ['A=A=', undefined],
    ['AA===', undefined],
    ['é', undefined],
  ])('of %j is read', (text, expected) => {
    expect(fromBase64(text)).toEqual(expected)
  })

  test('of any bytes gives them back, as the platform has it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (some) => {
        const text = Buffer.from(some).toString('base64')
        expect(base64(some)).toBe(text)
        expect(fromBase64(text)).toEqual(some)
      }),
    )
  })
})
