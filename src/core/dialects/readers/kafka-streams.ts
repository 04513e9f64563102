import { headOf } from '../../error-head.ts'
import { asCount } from '../read-number.ts'
import { type DialectReader, failureOf } from '../reading.ts'

const prefix = '__streams.errors.'

/** Early builds wrote the whole error where its class belongs. */
export const kafkaStreams: DialectReader = {
  name: 'kafka-streams',
  producer: 'Kafka Streams',
  confidence: 'certain',
  signs: [`${prefix}topic`, `${prefix}exception`],
  headers: [`${prefix}*`],
  read(letter) {
    const error = headOf(letter.text(`${prefix}exception`) ?? '')
    return failureOf({
      source: {
        channel: letter.text(`${prefix}topic`),
        partition: asCount(letter.number(`${prefix}partition`)),
        offset: letter.number(`${prefix}offset`),
      },
      errorType: error.type,
      errorMessage: letter.text(`${prefix}message`) ?? (error.message || undefined),
      stack: letter.text(`${prefix}stacktrace`),
    })
  },
}
