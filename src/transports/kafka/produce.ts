import type { Connection } from '@platformatic/kafka'
import { answerTo } from './answers.ts'
import { writeBatch } from './batch-format.ts'
import type { Batch, Pending } from './batches.ts'
import type { Kafka } from './library.ts'

/** What became of one batch. */
export interface ProduceAnswer {
  readonly code: number
  /** Where its first record stands; -1 where the broker does not know. */
  readonly offset: bigint
}

const allReplicas = -1

/**
 * Sends batches of one producer to one broker, and gives the answers by `topic:partition`. The request is written here and not by the
 * library, which makes a buffer of every length and every header of every record. Rejects with `unsure` when no answer came.
 */
export async function produce(
  kafka: Kafka,
  connection: Connection,
  batches: readonly Batch[],
  { answerWithin, now }: { readonly answerWithin: number; readonly now: number },
): Promise<ReadonlyMap<string, ProduceAnswer>> {
  const { api, parseResponse } = kafka.produceV9
  const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof parseResponse>>()
  const write = () => writeRequest(kafka, batches, answerWithin, now)
  connection.send(api.key, api.version, write, parseResponse, true, true, (error, answer) => {
    if (error || !answer) reject(error)
    else resolve(answer)
  })
  const { response } = await answerTo(promise)
  const answers = new Map<string, ProduceAnswer>()
  for (const { name, partitionResponses } of response.responses)
    for (const { index, errorCode, baseOffset } of partitionResponses)
      answers.set(`${name}:${index}`, { code: errorCode, offset: baseOffset })
  return answers
}

function writeRequest({ Writer, crc32c }: Kafka, batches: readonly Batch[], answerWithin: number, now: number) {
  const topics = [...Map.groupBy(batches, ({ records }) => (records[0] as Pending).topic)]
  const noTransaction = undefined
  return Writer.create()
    .appendString(noTransaction)
    .appendInt16(allReplicas)
    .appendInt32(answerWithin)
    .appendArray(topics, (topic, [name, its]) => {
      topic.appendString(name).appendArray([...its], (partition, batch) => {
        const bytes = writeBatch(batch, now, crc32c)
        partition
          .appendInt32((batch.records[0] as Pending).partition)
          .appendUnsignedVarInt(bytes.length + 1)
          .append(bytes)
      })
    })
    .appendTaggedFields()
}
