import { Kafka, type KafkaMessage, logLevel } from 'kafkajs'
import { handleOne } from '../by-hand.ts'
import { letterByHand } from '../letter-by-hand.ts'
import type { Order } from '../payload.ts'
import { committed } from './committed.ts'
import { type Consume, fails } from './task.ts'

/** As many as Redrive has in hand. */
const batchSize = 200
const partitions = 4

/** Each message by itself, as its users write it; it commits what is done when there are enough, and has no dead letters: they are sent by hand. */
export const consume: Consume = async ({ url, topic, deadLetters, group, messages, work }, progress) => {
  const kafka = new Kafka({ clientId: 'kafkajs', brokers: [url], logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId: group, maxWaitTimeInMs: 250 })
  const producer = kafka.producer({ idempotent: true })
  await Promise.all([consumer.connect(), producer.connect()])
  const all = committed(consumer, messages)
  const byHand = { orderIn, fails: ({ order }: Order) => fails(work, order) }
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({
    autoCommitThreshold: batchSize,
    partitionsConsumedConcurrently: partitions,
    async eachMessage({ message, partition }) {
      const error = await handleOne(message, byHand, { began: progress.began, handled() {} })
      if (error) await producer.send({ topic: deadLetters, acks: -1, messages: [letterOf(message, topic, partition, error)] })
      progress.handled()
    },
  })
  return {
    settled: () => all,
    async close() {
      await consumer.disconnect()
      await producer.disconnect()
    },
  }
}

function orderIn({ value }: KafkaMessage): Order {
  return JSON.parse(String(value))
}

function letterOf({ key, value, headers, offset }: KafkaMessage, topic: string, partition: number, error: Error) {
  const position = `${topic}/${partition}/${offset}`
  const told = letterByHand(error, { id: position, channel: topic, position, attempts: 1, deliveries: 1 })
  return { key, value, headers: { ...headers, ...told } }
}
