import { RedriveError } from '../../core/errors.ts'
import { type ByteCursor, cursorOver, readInt16, readInt32, readInt64, readSigned } from './byte-cursor.ts'
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

export interface ReadBatch {
  readonly records: readonly OffsetRecord[]
  /** What follows the batch, whether or not there was anything in it for us. */
  readonly next: bigint
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

/** What a consumer may see of fetched batches: no markers of transactions, nothing of those that were aborted. */
export function readBatches(kafka: Kafka, cursor: ByteCursor, aborted: readonly AbortedTransaction[]): readonly ReadBatch[] {
  const toCome = [...aborted].sort((one, other) => (one.firstOffset < other.firstOffset ? -1 : 1))
  const aborting = new Set<bigint>()
  const batches: ReadBatch[] = []
  for (let end = endOfBatch(cursor); end !== undefined; end = endOfBatch(cursor)) {
    const head = readHead(cursor)
    const next = head.firstOffset + BigInt(head.lastOffsetDelta) + 1n
    while (toCome[0] && toCome[0].firstOffset < next) aborting.add(toCome.shift()?.producerId ?? -1n)
    const isAborted = (head.attributes & transactional) !== 0 && aborting.has(head.producerId)
    const isControl = (head.attributes & control) !== 0
    const records = isAborted && !isControl ? [] : readRecords(inside(kafka, head, cursor, end), head)
    if (isControl && isAbortMarker(records)) aborting.delete(head.producerId)
    batches.push({ records: isControl ? [] : records, next })
    cursor.at = end
  }
  return batches
}

/** Nothing where the rest is only the beginning of a batch: a broker cuts its answers where they are long enough. */
function endOfBatch({ bytes, at, end }: ByteCursor): number | undefined {
  const lengthAt = at + 8
  if (end - lengthAt < 4) return undefined
  const batchEnd = lengthAt + 4 + bytes.readInt32BE(lengthAt)
  return batchEnd > end ? undefined : batchEnd
}

function readHead(cursor: ByteCursor): BatchHead {
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

/** The records of a batch, out of their compression. */
function inside(kafka: Kafka, { attributes }: BatchHead, { bytes, at }: ByteCursor, end: number): ByteCursor {
  const kind = attributes & compression
  if (kind === 0) return cursorOver(bytes, at, end)
  const algorithm = kafka.compressionsAlgorithmsByBitmask[kind]
  if (!algorithm) throw new RedriveError('unsupported', `Records are compressed in a way that is not known (${kind}).`)
  return cursorOver(algorithm.decompressSync(bytes.subarray(at, end)))
}

function readRecords(cursor: ByteCursor, { firstOffset, firstTimestamp, count }: BatchHead): readonly OffsetRecord[] {
  const records: OffsetRecord[] = []
  while (records.length < count && cursor.at < cursor.end) {
    const length = readSigned(cursor)
    const end = cursor.at + length
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
    records.push({ offset, record: { bytes: cursor.bytes, timestamp, keyAt, keyLength, valueAt, valueLength, headersAt } })
    cursor.at = end
  }
  return records
}

/** The key of a marker says what it marks. */
function isAbortMarker(records: readonly OffsetRecord[]): boolean {
  const [first] = records
  return (
    first !== undefined && first.record.keyLength >= 4 && first.record.bytes.readInt16BE(first.record.keyAt + 2) === abortMarker
  )
}
