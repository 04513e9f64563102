import type { Connection, Reader } from '@platformatic/kafka'
import { RedriveError } from '../../core/errors.ts'
import { codes, refusal } from './answers.ts'
import type { Kafka } from './library.ts'
import { type AbortedTransaction, type FetchedBatch, readBatches } from './records.ts'

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
  readonly batches: readonly FetchedBatch[]
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
  const read = (_id: number, _key: number, _version: number, answer: Reader) => readAnswer(kafka, answer)
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

function readAnswer(kafka: Kafka, answer: Reader): readonly FetchedPartition[] {
  answer.readInt32() // How long we were throttled.
  const code = answer.readInt16()
  if (code !== codes.none) throw refusal(code, 'a fetch', '')
  answer.readInt32() // The session, of which there is none.
  const topics = answer.readArray((reader) => {
    const topic = reader.readString()
    return reader.readArray(() => readPartition(kafka, topic, reader))
  })
  return topics.flat()
}

function readPartition(kafka: Kafka, topic: string, reader: Reader): FetchedPartition {
  const partition = reader.readInt32()
  const code = reader.readInt16()
  reader.skip(unusedBeforeTransactions)
  const aborted = reader.readArray(
    (): AbortedTransaction => ({ producerId: reader.readInt64(), firstOffset: reader.readInt64() }),
  )
  reader.readInt32() // A replica that would rather be asked.
  const size = Math.max(0, reader.readUnsignedVarInt() - 1)
  const pieces = reader.buffer.subarray(reader.position, reader.position + size).buffers
  reader.skip(size)
  return { topic, partition, code, batches: readBatches(kafka, pieces, aborted) }
}

/** The high watermark, the last stable offset and the start of the log. */
const unusedBeforeTransactions = 24
