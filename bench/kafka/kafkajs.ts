import { Kafka, type KafkaMessage, logLevel } from 'kafkajs'
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
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({
    autoCommitThreshold: batchSize,
    partitionsConsumedConcurrently: partitions,
    async eachMessage({ message, partition }) {
      progress.began()
      const { order } = JSON.parse(String(message.value)) as Order
      if (fails(work, order))
        await producer.send({ topic: deadLetters, acks: -1, messages: [letterOf(message, topic, partition)] })
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

function letterOf({ key, value, headers, offset }: KafkaMessage, topic: string, partition: number) {
  const told = { 'failure-reason': 'this one never works', 'original-topic': topic, 'original-offset': `${partition}/${offset}` }
  return { key, value, headers: { ...headers, ...told } }
}
