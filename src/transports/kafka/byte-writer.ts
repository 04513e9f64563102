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

/** Its length first. */
export function writeText(writer: ByteWriter, text: string): void {
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
