import type { Connection } from '@platformatic/kafka'
import { RedriveError } from '../../core/errors.ts'
import { codes, refusal } from './answers.ts'
import {
  type ByteCursor,
  cursorOver,
  readCompactLength,
  readInt16,
  readInt32,
  readInt64,
  readUnsigned,
  skipTaggedFields,
} from './byte-cursor.ts'
import type { Kafka } from './library.ts'
import { type AbortedTransaction, type ReadBatch, readBatches } from './records.ts'

export interface FetchRequest {
  readonly maxWait: number
  readonly minBytes: number
  readonly maxBytes: number
  readonly topics: readonly { readonly topic: string; readonly partitions: readonly PartitionRequest[] }[]
}

interface PartitionRequest {
  readonly partition: number
  readonly from: bigint
  readonly maxBytes: number
}

export interface FetchedPartition {
  readonly topic: string
  readonly partition: number
  readonly code: number
  readonly batches: readonly ReadBatch[]
}

const readCommitted = 1
const anyEpoch = -1

/**
 * Asks one broker for records. The request is the library's; the answer is read here, because the library makes objects of every key and
 * header of every record, which costs more than all the rest of a message. Rejects with `unsure` when no answer came.
 */
export async function fetchRecords(
  kafka: Kafka,
  connection: Connection,
  request: FetchRequest,
): Promise<readonly FetchedPartition[]> {
  const { fetchV12 } = kafka
  const { key, version } = fetchV12.api
  const { promise, resolve, reject } = Promise.withResolvers<readonly FetchedPartition[]>()
  const read = (_id: number, _key: number, _version: number, reader: Answer) => readAnswer(kafka, reader.buffer.buffer)
  connection.send(
    key,
    version,
    () => writeRequest(kafka, request),
    read,
    true,
    true,
    (error, partitions) => {
      if (error || !partitions) reject(error)
      else resolve(partitions)
    },
  )
  try {
    return await promise
  } catch (cause) {
    if (cause instanceof RedriveError) throw cause
    throw new RedriveError('unsure', 'The connection to Kafka was lost before it answered.', { cause })
  }
}

/** What the library gives to read: the bytes of an answer, in one piece where somebody asks for that. */
interface Answer {
  readonly buffer: { readonly buffer: Buffer }
}

function writeRequest({ fetchV12 }: Kafka, { maxWait, minBytes, maxBytes, topics }: FetchRequest) {
  const asked = topics.map(({ topic, partitions }) => ({
    topicId: topic,
    partitions: partitions.map(({ partition, from, maxBytes: partitionMaxBytes }) => ({
      partition,
      currentLeaderEpoch: anyEpoch,
      fetchOffset: from,
      lastFetchedEpoch: anyEpoch,
      partitionMaxBytes,
    })),
  }))
  const noSession = 0
  return fetchV12.createRequest(maxWait, minBytes, maxBytes, readCommitted, noSession, -1, asked, [], '')
}

function readAnswer(kafka: Kafka, bytes: Buffer): readonly FetchedPartition[] {
  const cursor = cursorOver(bytes)
  readInt32(cursor) // How long we were throttled.
  const code = readInt16(cursor)
  if (code !== codes.none) throw refusal(code, 'a fetch', '')
  readInt32(cursor) // The session, of which there is none.
  const fetched: FetchedPartition[] = []
  for (let topics = readCompactLength(cursor); topics > 0; topics--) {
    const topic = readText(cursor)
    for (let partitions = readCompactLength(cursor); partitions > 0; partitions--) {
      fetched.push(readPartition(kafka, topic, cursor))
      skipTaggedFields(cursor)
    }
    skipTaggedFields(cursor)
  }
  return fetched
}

function readText(cursor: ByteCursor): string {
  const length = readCompactLength(cursor)
  cursor.at += length
  return cursor.bytes.toString('utf8', cursor.at - length, cursor.at)
}

function readPartition(kafka: Kafka, topic: string, cursor: ByteCursor): FetchedPartition {
  const partition = readInt32(cursor)
  const code = readInt16(cursor)
  cursor.at += unusedBeforeTransactions
  const aborted: AbortedTransaction[] = []
  for (let left = readCompactLength(cursor); left > 0; left--) {
    aborted.push({ producerId: readInt64(cursor), firstOffset: readInt64(cursor) })
    skipTaggedFields(cursor)
  }
  readInt32(cursor) // A replica that would rather be asked.
  const length = Math.max(0, readUnsigned(cursor) - 1)
  const records = cursorOver(cursor.bytes, cursor.at, cursor.at + length)
  cursor.at += length
  return { topic, partition, code, batches: readBatches(kafka, records, aborted) }
}

/** The high watermark, the last stable offset and the start of the log. */
const unusedBeforeTransactions = 24
