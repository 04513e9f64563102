import { Buffer } from 'node:buffer'

/** Dimensions, whether a member may be null, type of the members, how many, and the number of the first. */
const headerBytes = 20
const lengthBytes = 4
const textType = 25
const nullLength = -1

/**
 * Texts as the server keeps them, a `text[]` in its binary form. Written as text, each would be quoted, and envelopes are full of what has to be
 * escaped.
 */
export function textArray(texts: readonly (string | null)[]): Buffer {
  const bytes = texts.reduce((sum, text) => sum + lengthBytes + (text === null ? 0 : Buffer.byteLength(text)), headerBytes)
  const array = Buffer.allocUnsafe(bytes)
  const hasNull = texts.includes(null)
  for (const [index, value] of [1, Number(hasNull), textType, texts.length, 1].entries())
    array.writeInt32BE(value, index * lengthBytes)
  let at = headerBytes
  for (const text of texts) {
    const length = text === null ? nullLength : array.write(text, at + lengthBytes)
    array.writeInt32BE(length, at)
    at += lengthBytes + Math.max(0, length)
  }
  return array
}
