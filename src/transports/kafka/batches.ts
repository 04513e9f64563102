import type { RedriveError } from '../../core/errors.ts'
import { codes } from './answers.ts'
import { framing } from './batch-format.ts'
import type { NewRecord } from './new-record.ts'

/** A record that is to be written, and who waits for it. */
export interface Pending {
  readonly topic: string
  readonly partition: number
  readonly record: NewRecord
  readonly deadline: number
  readonly resolve: (offset: bigint | undefined) => void
  readonly reject: (error: RedriveError) => void
}

/** Consecutive records of one partition, under one number, which is what makes a second copy of it recognisable. */
export interface Batch {
  readonly records: readonly Pending[]
  readonly producer: ProducerId
  readonly sequence: number
  /** It was sent, and nobody knows what became of it. */
  isUnsure: boolean
}

export interface ProducerId {
  readonly id: bigint
  readonly epoch: number
  readonly sequences: Map<string, number>
}

/** What one partition is to get. */
export interface Line {
  waiting: Pending[]
  /** What has to be sent again, before anything that waits. */
  unconfirmed: Batch | undefined
  /** The broker said that a batch was too large: one record at a time. */
  alone: boolean
}

/** The limit of a topic is for a whole batch. */
const batchBytes = 512 * 1024
const batchRecords = 1000
const requestBytes = 8 * 1024 * 1024

export interface Filled {
  readonly line: Line
  readonly batch: Batch
}

/** One batch for each partition, up to what one request should hold. */
export function fill(lines: readonly Line[], numbered: ProducerId): readonly Filled[] {
  const filled: Filled[] = []
  let bytes = 0
  for (const line of lines) {
    if (bytes > requestBytes) break
    line.unconfirmed ??= nextBatch(line, numbered)
    filled.push({ line, batch: line.unconfirmed })
    bytes += line.unconfirmed.records.reduce((sum, each) => sum + sizeOf(each), 0)
  }
  return filled
}

function nextBatch({ waiting, alone }: Line, producer: ProducerId): Batch {
  let count = 1
  let bytes = sizeOf(waiting[0])
  const most = alone ? 1 : batchRecords
  while (count < Math.min(most, waiting.length)) {
    bytes += sizeOf(waiting[count])
    if (bytes > batchBytes) break
    count++
  }
  const records = waiting.splice(0, count)
  const { topic, partition } = records[0] as Pending
  return { records, producer, sequence: producer.sequences.get(`${topic}:${partition}`) ?? 0, isUnsure: false }
}

function sizeOf(pending: Pending | undefined): number {
  return pending ? pending.record.content.length + framing : 0
}

/** A batch keeps the number it was first sent under, so that one that is sent again is recognised. */
export function groupByProducer(filled: readonly Filled[]): readonly (readonly Filled[])[] {
  const groups = new Map<ProducerId, Filled[]>()
  for (const each of filled) groups.set(each.batch.producer, [...(groups.get(each.batch.producer) ?? []), each])
  return [...groups.values()]
}

export function firstOf({ unconfirmed, waiting }: Line): Pending {
  return (unconfirmed?.records ?? waiting)[0] as Pending
}

export function pendingOf({ unconfirmed, waiting }: Line): readonly Pending[] {
  return [...(unconfirmed?.records ?? []), ...waiting]
}

export function isOutOfStep(code: number): boolean {
  const out: readonly number[] = [
    codes.outOfOrderSequence,
    codes.invalidProducerEpoch,
    codes.invalidProducerIdMapping,
    codes.unknownProducerId,
  ]
  return out.includes(code)
}

export function mayBeWritten(code: number): boolean {
  return code === codes.requestTimedOut || code === codes.notEnoughReplicasAfterAppend || code === codes.unknownServerError
}

export function isTooLarge(code: number): boolean {
  return code === codes.messageTooLarge || code === codes.recordListTooLarge
}
