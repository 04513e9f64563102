import { type DialectReader, failureOf } from '../reading.ts'

const prefix = 'Kafka-Flow-Retry-Durable-'

/** Why it failed stands in the database of the producer only. */
export const kafkaflow: DialectReader = {
  name: 'kafkaflow',
  producer: 'KafkaFlow, durable retries',
  confidence: 'certain',
  signs: [`${prefix}Queue-Id`, `${prefix}Item-Id`],
  headers: [`${prefix}*`],
  read: (letter) =>
    failureOf({
      source: { position: letter.text(`${prefix}Item-Id`, `${prefix}Queue-Id`) },
      attempts: letter.count(`${prefix}Attempts-Count`),
    }),
}
