import { asCount } from '../read-number.ts'
import { type DialectReader, failureOf } from '../reading.ts'

const prefix = '__connect.errors.'

export const kafkaConnect: DialectReader = {
  name: 'kafka-connect',
  producer: 'Kafka Connect',
  confidence: 'certain',
  signs: [`${prefix}topic`, `${prefix}exception.class.name`],
  headers: [`${prefix}*`],
  read: (letter) =>
    failureOf({
      source: {
        channel: letter.text(`${prefix}topic`),
        partition: asCount(letter.number(`${prefix}partition`)),
        offset: letter.number(`${prefix}offset`),
      },
      group: letter.text(`${prefix}connector.name`),
      handler: letter.text(`${prefix}class.name`),
      reason: letter.text(`${prefix}stage`),
      errorType: letter.text(`${prefix}exception.class.name`),
      errorMessage: letter.text(`${prefix}exception.message`),
      stack: letter.text(`${prefix}exception.stacktrace`),
    }),
}
