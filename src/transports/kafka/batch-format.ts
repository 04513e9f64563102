import type { Batch } from './batches.ts'
import { type ByteWriter, writeRaw, writeSigned } from './byte-writer.ts'
import type { Kafka } from './library.ts'

const headSize = 61
const checkedFrom = 21
const format = 2
/** More than the lengths and deltas around a record ever take. */
export const framing = 32

/** A batch as the log keeps it. All its records have one time. */
export function writeBatch({ records, producer, sequence }: Batch, now: number, crc32c: Kafka['crc32c']): Buffer {
  const size = records.reduce((sum, { record }) => sum + record.content.length + framing, headSize)
  const writer: ByteWriter = { bytes: Buffer.allocUnsafe(size), at: headSize }
  for (const [index, { record }] of records.entries()) writeRecord(writer, index, record.content)
  const { bytes, at } = writer
  const firstOffset = 0n
  bytes.writeBigInt64BE(firstOffset, 0)
  bytes.writeInt32BE(at - 12, 8)
  const anyLeader = 0
  bytes.writeInt32BE(anyLeader, 12)
  bytes.writeInt8(format, 16)
  const attributes = 0
  bytes.writeInt16BE(attributes, checkedFrom)
  bytes.writeInt32BE(records.length - 1, 23)
  bytes.writeBigInt64BE(BigInt(now), 27)
  bytes.writeBigInt64BE(BigInt(now), 35)
  bytes.writeBigInt64BE(producer.id, 43)
  bytes.writeInt16BE(producer.epoch, 51)
  bytes.writeInt32BE(sequence, 53)
  bytes.writeInt32BE(records.length, 57)
  const written = bytes.subarray(0, at)
  bytes.writeUInt32BE(crc32c(written.subarray(checkedFrom)), 17)
  return written
}

function writeRecord(writer: ByteWriter, index: number, content: Buffer): void {
  const attributesAndTime = 2
  writeSigned(writer, attributesAndTime + signedLength(index) + content.length)
  // No attributes, and the time of the batch.
  writeSigned(writer, 0)
  writeSigned(writer, 0)
  writeSigned(writer, index)
  writeRaw(writer, content)
}

function signedLength(value: number): number {
  let length = 1
  for (let left = 2 * value; left >= 0x80; left = Math.floor(left / 0x80)) length++
  return length
}
