import fc from 'fast-check'
import { expect, test } from 'vitest'
import { restored, storable } from './storable-text.ts'

const text = fc.string({ unit: fc.constantFrom('a', ' ', '\u0000', '\uFDD0', '\uFDD1', 'é', '😀') })

test('any text comes back as it was, and none is stored with a character that the server cannot hold', () => {
  fc.assert(
    fc.property(text, (written) => {
      expect(storable(written)).not.toContain('\u0000')
      expect(restored(storable(written))).toBe(written)
    }),
  )
})

test('planted bug: with the character left out, different texts would become one', () => {
  const leftOut = (written: string) => written.replaceAll('\u0000', '')
  expect(leftOut('a\u0000b')).toBe(leftOut('ab'))
  expect(storable('a\u0000b')).not.toBe(storable('ab'))
  expect(storable('\u0000')).not.toBe(storable('\uFDD0'))
})
