/** Longer ones are no metadata. */
const longest = 65_536
const varint = 0
const lengthDelimited = 2

/**
 * The fields of a protobuf message by their numbers, the last of each: variable-length numbers and bytes, which is all that metadata is
 * made of. `undefined` where the bytes are anything else, or hold anything beside it.
 */
export function readProtobuf(bytes: Uint8Array): ReadonlyMap<number, bigint | Uint8Array> | undefined {
  if (bytes.length === 0 || bytes.length > longest) return undefined
  const fields = new Map<number, bigint | Uint8Array>()
  const cursor = { at: 0 }
  while (cursor.at < bytes.length) {
    const tag = readVarint(bytes, cursor)
    if (tag === undefined || tag >> 3n === 0n) return undefined
    const value = readValue(bytes, cursor, Number(tag & 7n))
    if (value === undefined) return undefined
    fields.set(Number(tag >> 3n), value)
  }
  return fields
}

function readValue(bytes: Uint8Array, cursor: { at: number }, wireType: number): bigint | Uint8Array | undefined {
  if (wireType !== varint && wireType !== lengthDelimited) return undefined
  const number = readVarint(bytes, cursor)
  if (number === undefined || wireType === varint) return number
  if (number > BigInt(bytes.length - cursor.at)) return undefined
  const start = cursor.at
  cursor.at += Number(number)
  return bytes.subarray(start, cursor.at)
}

/** Seven bits in each byte, the lowest first; the eighth says that more follow, up to ten. */
function readVarint(bytes: Uint8Array, cursor: { at: number }): bigint | undefined {
  let value = 0n
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = bytes[cursor.at]
    if (byte === undefined) return undefined
    cursor.at++
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return BigInt.asUintN(64, value)
  }
  return undefined
}
