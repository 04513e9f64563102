import type { RheaTypes, Typed } from './rhea.ts'

/** How AMQP 1.0 marks what follows. */
const codes = { text8: 0xa1, text32: 0xb1, bytes32: 0xb0, map32: 0xd1 } as const
const longestText8 = 255

let mapType: object | undefined

/**
 * A map of texts, written once and into one buffer, where rhea would make an object and a buffer of every name and every value. On the
 * wire a map is its length and what is in it, as bytes are; so rhea is given bytes that are marked as a map. Nothing where it does not
 * know bytes as we know them.
 */
export function encodedMap(types: RheaTypes, texts: Readonly<Record<string, string>>): Typed | undefined {
  const typed = types.Vbin32(contentOf(texts))
  const { type } = typed
  if (type.typecode !== codes.bytes32 || type.width !== 4) return undefined
  mapType ??= Object.assign(Object.create(type), { typecode: codes.map32 })
  return Object.assign(typed, { type: mapType })
}

/** How many names and values, and then each of them. */
function contentOf(texts: Readonly<Record<string, string>>): Buffer {
  const all = Object.entries(texts).flat()
  const lengths = all.map((text) => Buffer.byteLength(text))
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length + (length > longestText8 ? 5 : 2), 4))
  let at = bytes.writeUInt32BE(all.length, 0)
  all.forEach((text, index) => {
    const length = lengths[index] ?? 0
    const isLong = length > longestText8
    at = bytes.writeUInt8(isLong ? codes.text32 : codes.text8, at)
    at = isLong ? bytes.writeUInt32BE(length, at) : bytes.writeUInt8(length, at)
    at += bytes.write(text, at)
  })
  return bytes
}
