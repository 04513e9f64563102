/** Writes as Kafka reads, one after the other, into bytes that grow. */
export interface ByteWriter {
  bytes: Buffer
  /** Where the next write begins. */
  at: number
}

const longestNumber = 10

export function writeSigned(writer: ByteWriter, value: number): void {
  makeRoom(writer, longestNumber)
  let left = value < 0 ? -2 * value - 1 : 2 * value
  for (; left >= 0x80; left = Math.floor(left / 0x80)) writer.bytes[writer.at++] = (left % 0x80) | 0x80
  writer.bytes[writer.at++] = left
}

/** The length of a text up to here is one byte. */
const shortText = 63

/** Its length first. */
export function writeText(writer: ByteWriter, text: string): void {
  if (text.length > shortText || !writeShort(writer, text)) writeLong(writer, text)
}

/** Nearly all names and most values are a few letters of ASCII, for which two calls into the runtime are more than the letters themselves. */
function writeShort(writer: ByteWriter, text: string): boolean {
  const { length } = text
  makeRoom(writer, length + 1)
  const { bytes, at } = writer
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index)
    if (code > 0x7f) return false
    bytes[at + 1 + index] = code
  }
  bytes[at] = 2 * length
  writer.at = at + 1 + length
  return true
}

function writeLong(writer: ByteWriter, text: string): void {
  const length = Buffer.byteLength(text)
  writeSigned(writer, length)
  makeRoom(writer, length)
  writer.at += writer.bytes.write(text, writer.at)
}

/** Its length first; -1 for nothing. */
export function writeBytes(writer: ByteWriter, bytes: Uint8Array | null): void {
  writeSigned(writer, bytes?.length ?? -1)
  if (bytes) writeRaw(writer, bytes)
}

export function writeRaw(writer: ByteWriter, bytes: Uint8Array): void {
  makeRoom(writer, bytes.length)
  writer.bytes.set(bytes, writer.at)
  writer.at += bytes.length
}

function makeRoom(writer: ByteWriter, length: number): void {
  const { bytes, at } = writer
  if (bytes.length - at >= length) return
  writer.bytes = Buffer.allocUnsafe(2 * (at + length))
  bytes.copy(writer.bytes, 0, 0, at)
}
