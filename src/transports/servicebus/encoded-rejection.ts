import type { RheaTypes, Typed } from './rhea.ts'

/** How AMQP 1.0 marks what follows. */
const codes = { text8: 0xa1, text32: 0xb1, bytes32: 0xb0, list32: 0xd0, map32: 0xd1, rejected: 0x25 } as const
const longestText8 = 255
const condition = Buffer.from('com.microsoft:dead-letter')

/**
 * One thing in a list, an error, which is a list of three: its condition, no description, and a map. The lengths of list and map, and how
 * much there is in the map, are filled in.
 */
const head = Buffer.concat([
  Buffer.from([0, 0, 0, 1, 0x00, 0x53, 0x1d, codes.list32, 0, 0, 0, 0, 0, 0, 0, 3, 0xa3, condition.length]),
  condition,
  Buffer.from([0x40, codes.map32, 0, 0, 0, 0, 0, 0, 0, 0]),
])
const listLengthAt = 8
const mapLengthAt = head.length - 8

let listType: Typed['type'] | undefined
let rejected: Typed | undefined

/**
 * That a message is rejected, with names and values one after the other: written once, into one buffer, where rhea would make an object
 * and a buffer of every text. On the wire a list is its length and what is in it, as bytes are; so rhea is given bytes that are marked as
 * a list. Nothing where it does not know bytes as we know them.
 */
export function encodedRejection(types: RheaTypes, texts: readonly string[]): Typed | undefined {
  const typed = types.Vbin32(contentOf(texts))
  const { type } = typed
  if (type.typecode !== codes.bytes32 || type.width !== 4) return undefined
  listType ??= Object.assign(Object.create(type), { typecode: codes.list32 }) as Typed['type']
  rejected ??= types.wrap_ulong(codes.rejected)
  typed.type = listType
  return types.described(rejected, typed)
}

function contentOf(texts: readonly string[]): Buffer {
  let size = head.length
  for (const text of texts) size += sizeOf(Buffer.byteLength(text))
  const bytes = Buffer.allocUnsafe(size)
  head.copy(bytes)
  bytes.writeUInt32BE(size - listLengthAt - 4, listLengthAt)
  bytes.writeUInt32BE(size - mapLengthAt - 4, mapLengthAt)
  bytes.writeUInt32BE(texts.length, mapLengthAt + 4)
  let at = head.length
  for (const text of texts) at = writeText(bytes, text, at)
  return bytes
}

function sizeOf(length: number): number {
  return length + (length > longestText8 ? 5 : 2)
}

function writeText(bytes: Buffer, text: string, at: number): number {
  const length = Buffer.byteLength(text)
  if (length > longestText8) {
    bytes[at] = codes.text32
    bytes.writeUInt32BE(length, at + 1)
    return at + 5 + bytes.write(text, at + 5)
  }
  bytes[at] = codes.text8
  bytes[at + 1] = length
  return at + 2 + bytes.write(text, at + 2)
}
