import { asCount } from '../read-number.ts'
import { type DialectReader, failureOf } from '../reading.ts'

const prefix = '__dlq.errors.'

/** What the broker itself writes for a share group. */
export const kafkaShareGroup: DialectReader = {
  name: 'kafka-share-group',
  producer: 'Kafka share groups',
  confidence: 'certain',
  signs: [`${prefix}topic`, `${prefix}group`],
  headers: [`${prefix}*`, '_dlq.errors.disposition'],
  read: (letter) =>
    failureOf({
      source: {
        channel: letter.text(`${prefix}topic`),
        partition: asCount(letter.number(`${prefix}partition`)),
        offset: letter.number(`${prefix}offset`),
      },
      group: letter.text(`${prefix}group`),
      reason: letter.text('_dlq.errors.disposition'),
      errorMessage: letter.text(`${prefix}message`),
      deliveries: letter.count(`${prefix}delivery.count`),
    }),
}
