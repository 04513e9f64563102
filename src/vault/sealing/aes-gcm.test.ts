import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { open, overhead, seal } from './aes-gcm.ts'

const key = randomBytes(32)
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')

test('what was sealed is opened with its key and its subject, and with no other', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), fc.string(), (plain, about, other) => {
      const sealed = seal(key, about, plain, randomBytes)
      expect(sealed.length).toBe(plain.length + overhead)
      expect(text(open(key, about, sealed))).toBe(text(plain))
      expect(open(randomBytes(32), about, sealed)).toBeUndefined()
      if (other !== about) expect(open(key, other, sealed)).toBeUndefined()
    }),
  )
})

test('what differs from what was sealed in any bit, or is shorter, is not opened', () => {
  const sealed = seal(key, 'about', Buffer.from('a body'), randomBytes)
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(open(key, 'about', changed)).toBeUndefined()
  }
  for (let length = 0; length < sealed.length; length++) expect(open(key, 'about', sealed.subarray(0, length))).toBeUndefined()
})
