import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeFrames, encodeFrames } from './frames.ts'

const contents = ['one', 'two, a longer one', '', 'four'].map((text) => new TextEncoder().encode(text))
const texts = (file: Uint8Array): readonly string[] =>
  decodeFrames(file).contents.map((content) => new TextDecoder().decode(content))

describe('a spool file', () => {
  it('gives back any records, byte for byte', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (records) => {
        const { contents: found, damaged } = decodeFrames(encodeFrames(records))
        expect(damaged).toBe(0)
        expect(found.map((content) => [...content])).toEqual(records.map((content) => [...content]))
      }),
    )
  })

  it('cut off anywhere gives the records before the cut, and says that something is missing', () => {
    const file = encodeFrames(contents)
    for (let length = 0; length < file.byteLength; length++) {
      const { contents: found, damaged } = decodeFrames(file.subarray(0, length))
      expect(found.length).toBeLessThan(contents.length)
      expect(found).toEqual(contents.slice(0, found.length).map((content) => Buffer.from(content)))
      expect(damaged > 0 || found.length < contents.length).toBe(true)
    }
  })

  it('with any one byte changed loses no more than one record, and never gives a wrong one', () => {
    const file = encodeFrames(contents)
    const good = texts(file)
    for (let at = 16; at < file.byteLength; at++) {
      const changed = Uint8Array.from(file)
      changed[at] = (changed[at] ?? 0) ^ 0x55
      const found = texts(changed)
      expect(found.every((text) => good.includes(text))).toBe(true)
      expect(found).toHaveLength(good.length - 1)
      expect(decodeFrames(changed).damaged).toBeGreaterThan(0)
    }
  })

  it('is not taken for one that it is not', () => {
    expect(decodeFrames(new TextEncoder().encode('something else entirely'))).toEqual({ contents: [], damaged: 23 })
  })
})
