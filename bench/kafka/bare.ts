import { Consumer, type Message, Producer } from '@platformatic/kafka'
import { handleOne, type Outcome } from '../by-hand.ts'
import { letterByHand } from '../letter-by-hand.ts'
import type { Order } from '../payload.ts'
import { type Consume, fails } from './task.ts'

/** As many as Redrive has in hand. */
const batchSize = 200
/** As Redrive, and Kafka's own client, fetch. With the library's 50 MiB, a whole run would be fetched before its first message is handled. */
const maxBytes = 16 * 1024 * 1024
const maxBytesPerPartition = 1024 * 1024

interface Taken {
  readonly message: Message
  readonly handling: Promise<Outcome>
}

/**
 * What a careful engineer writes on the same library: parse, handle, and commit only what is done, a batch at a time; letters are
 * confirmed by an idempotent producer first. It knows nothing of crashes, and settles nothing out of order.
 */
export const consume: Consume = async ({ url, topic, deadLetters, group, work }, progress) => {
  const base = { clientId: 'bare', bootstrapBrokers: [url] }
  const fetching = { highWaterMark: 2 * batchSize, maxWaitTime: 250, maxBytes, maxBytesPerPartition }
  const consumer = new Consumer({ ...base, groupId: group, autocommit: false, ...fetching })
  const producer = new Producer({ ...base, idempotent: true })
  const stream = await consumer.consume({ topics: [topic], mode: 'earliest' })
  const byHand = { orderIn, fails: ({ order }: Order) => fails(work, order) }
  let batch: Taken[] = []
  let committing: Promise<void> = Promise.resolve()

  async function finish(done: readonly Taken[]): Promise<void> {
    const letters: ReturnType<typeof letterOf>[] = []
    for (const { message, handling } of done) {
      const error = await handling
      if (error) letters.push(letterOf(message, error, deadLetters))
    }
    if (letters.length > 0) await producer.send({ messages: letters, acks: -1 })
    const last = new Map(done.map(({ message }) => [message.partition, message]))
    const offsets = [...last.values()].map(({ partition, offset, leaderEpoch }) => ({
      topic,
      partition,
      offset: offset + 1n,
      leaderEpoch,
    }))
    await consumer.commit({ offsets })
  }

  function flush(): Promise<void> {
    const done = batch
    batch = []
    if (done.length > 0) committing = committing.then(() => finish(done))
    return committing
  }

  async function read(): Promise<void> {
    for await (const message of stream) {
      batch.push({ message, handling: handleOne(message, byHand, progress) })
      if (batch.length === batchSize) await flush()
    }
  }

  const reading = read()
  reading.catch(() => {})
  return {
    settled: flush,
    async close() {
      await consumer.close(true)
      await producer.close()
    },
  }
}

function orderIn({ value }: Message): Order {
  return JSON.parse(value.toString())
}

function letterOf({ key, value, headers, topic, partition, offset }: Message, error: Error, to: string) {
  const position = `${topic}/${partition}/${offset}`
  const told = letterByHand(error, { id: position, channel: topic, position, attempts: 1, deliveries: 1 })
  const added = Object.entries(told).map(([name, text]): [Buffer, Buffer] => [Buffer.from(name), Buffer.from(text)])
  return { topic: to, key, value, headers: new Map([...headers, ...added]) }
}
