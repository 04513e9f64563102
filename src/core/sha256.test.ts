import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from './sha256.ts'

describe('sha256', () => {
  test.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('gives the published digest of %j', (text, digest) => {
    expect(sha256(text)).toBe(digest)
  })

  test.each([54, 55, 56, 57, 63, 64, 65, 119, 120, 1000])('pads a text of %d bytes as everybody does', (length) => {
    expect(sha256('x'.repeat(length))).toBe(reference('x'.repeat(length)))
  })

  test('gives the same as the platform for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(sha256(text)).toBe(reference(text))
      }),
    )
  })
})

function reference(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
