import { RedriveError } from '../../core/errors.ts'
import {
  cursorOver,
  type PieceCursor,
  readInt16,
  readInt32,
  readInt64,
  readSigned,
  readSignedAcross,
  skipBytes,
  takeBytes,
} from './byte-cursor.ts'
import type { Kafka } from './library.ts'
import type { StoredRecord } from './message.ts'

export interface OffsetRecord {
  readonly offset: bigint
  readonly record: StoredRecord
}

export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
}

/** Records that were written together. They are read one at a time: thousands of objects that wait are what a collector is slow with. */
export interface FetchedBatch {
  /** What follows the batch, whether or not there was anything in it for us. */
  readonly next: bigint
  /** As it was fetched. */
  readonly size: number
  /** How many are still to be read. */
  readonly left: number
  read(): OffsetRecord | undefined
}

interface BatchHead {
  readonly firstOffset: bigint
  readonly lastOffsetDelta: number
  readonly attributes: number
  readonly firstTimestamp: number
  readonly producerId: bigint
  readonly count: number
}

const compression = 0b111
const transactional = 1 << 4
const control = 1 << 5
const abortMarker = 0
/** From the first offset to the number of records. */
const headSize = 61
/** The first offset and the length: what the length does not count. */
const uncounted = 12

/** What a consumer may see of fetched batches: no markers of transactions, nothing of those that were aborted. */
export function readBatches(
  kafka: Kafka,
  pieces: readonly Buffer[],
  aborted: readonly AbortedTransaction[],
): readonly FetchedBatch[] {
  const toCome = [...aborted].sort((one, other) => (one.firstOffset < other.firstOffset ? -1 : 1))
  const aborting = new Set<bigint>()
  const batches: FetchedBatch[] = []
  const cursor = cursorOver(pieces)
  for (let length = batchLength(cursor); length !== undefined; length = batchLength(cursor)) {
    const { bytes, at } = takeBytes(cursor, headSize)
    const head = readHead(bytes, at)
    const next = head.firstOffset + BigInt(head.lastOffsetDelta) + 1n
    while (toCome[0] && toCome[0].firstOffset < next) aborting.add(toCome.shift()?.producerId ?? -1n)
    const records = batchOf(kafka, head, next, { ...cursor }, length)
    skipBytes(cursor, length - headSize)
    const isAborted = (head.attributes & transactional) !== 0 && aborting.has(head.producerId)
    if (head.attributes & control && isAbortMarker(records.read())) aborting.delete(head.producerId)
    batches.push(isAborted || head.attributes & control ? nothingUpTo(next) : records)
  }
  return batches
}

/** Stands for offsets that hold nothing for us. */
export function nothingUpTo(next: bigint): FetchedBatch {
  return { next, size: 0, left: 0, read: () => undefined }
}

/** Nothing where the rest is only the beginning of a batch: a broker cuts its answers where they are long enough. */
function batchLength(cursor: PieceCursor): number | undefined {
  if (cursor.left < headSize) return undefined
  const { bytes, at } = takeBytes({ ...cursor }, uncounted)
  const length = uncounted + bytes.readInt32BE(at + 8)
  return length > cursor.left ? undefined : length
}

function readHead(bytes: Buffer, from: number): BatchHead {
  const cursor = { bytes, at: from }
  const firstOffset = readInt64(cursor)
  // Its length, its leader's epoch, the number of its format and a checksum.
  cursor.at += 13
  const attributes = readInt16(cursor)
  const lastOffsetDelta = readInt32(cursor)
  const firstTimestamp = Number(readInt64(cursor))
  // The last of its times.
  cursor.at += 8
  const producerId = readInt64(cursor)
  // The producer's epoch and number.
  cursor.at += 6
  return { firstOffset, lastOffsetDelta, attributes, firstTimestamp, producerId, count: readInt32(cursor) }
}

function batchOf(kafka: Kafka, head: BatchHead, next: bigint, compressed: PieceCursor, size: number): FetchedBatch {
  let cursor: PieceCursor | undefined
  let left = head.count
  return {
    next,
    size,
    get left() {
      return left
    },
    read() {
      if (left <= 0) return undefined
      left--
      cursor ??= decompressed(kafka, head, compressed, size - headSize)
      return readRecord(cursor, head)
    },
  }
}

function decompressed(kafka: Kafka, { attributes }: BatchHead, cursor: PieceCursor, length: number): PieceCursor {
  const kind = attributes & compression
  if (kind === 0) return cursor
  const algorithm = kafka.compressionsAlgorithmsByBitmask[kind]
  if (!algorithm) throw new RedriveError('unsupported', `Records are compressed in a way that is not known (${kind}).`)
  const { bytes, at } = takeBytes(cursor, length)
  return cursorOver([algorithm.decompressSync(bytes.subarray(at, at + length))])
}

function readRecord(pieces: PieceCursor, { firstOffset, firstTimestamp }: BatchHead): OffsetRecord {
  const cursor = takeBytes(pieces, readSignedAcross(pieces))
  const { bytes } = cursor
  // Attributes, of which a record has none.
  cursor.at++
  const timestamp = firstTimestamp + readSigned(cursor)
  const offset = firstOffset + BigInt(readSigned(cursor))
  const keyLength = readSigned(cursor)
  const keyAt = cursor.at
  if (keyLength > 0) cursor.at += keyLength
  const valueLength = readSigned(cursor)
  const valueAt = cursor.at
  const headersAt = valueLength > 0 ? valueAt + valueLength : valueAt
  return { offset, record: { bytes, timestamp, keyAt, keyLength, valueAt, valueLength, headersAt } }
}

/** The key of a marker says what it marks. */
function isAbortMarker(marker: OffsetRecord | undefined): boolean {
  if (!marker || marker.record.keyLength < 4) return false
  return marker.record.bytes.readInt16BE(marker.record.keyAt + 2) === abortMarker
}
