import type { RecordsBatch } from '@platformatic/kafka'
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

const transactional = 1 << 4
const control = 1 << 5
const abortMarker = 0

/** What a consumer may see of fetched batches: no markers of transactions, nothing of those that were aborted. */
export function readBatches(
  batches: readonly RecordsBatch[],
  aborted: readonly AbortedTransaction[] | null,
): readonly ReadBatch[] {
  const toCome = [...(aborted ?? [])].sort((one, other) => (one.firstOffset < other.firstOffset ? -1 : 1))
  const aborting = new Set<bigint>()
  return batches.map((batch) => {
    const next = batch.firstOffset + BigInt(batch.lastOffsetDelta) + 1n
    while (toCome[0] && toCome[0].firstOffset < next) aborting.add(toCome.shift()?.producerId ?? -1n)
    if (batch.attributes & control) {
      if (batch.records[0]?.key?.readInt16BE(2) === abortMarker) aborting.delete(batch.producerId)
      return { records: [], next }
    }
    const isAborted = (batch.attributes & transactional) !== 0 && aborting.has(batch.producerId)
    return { records: isAborted ? [] : recordsOf(batch), next }
  })
}

function recordsOf({ records, firstOffset, firstTimestamp }: RecordsBatch): readonly OffsetRecord[] {
  return records.map(({ offsetDelta, timestampDelta, key, value, headers }) => ({
    offset: firstOffset + BigInt(offsetDelta),
    record: { key, value, headers, timestamp: Number(firstTimestamp + timestampDelta) },
  }))
}
