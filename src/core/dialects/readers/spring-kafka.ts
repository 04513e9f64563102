import { asCount } from '../read-number.ts'
import { type DialectReader, failureOf } from '../reading.ts'
import { springError } from '../spring-error.ts'

/** Numbers are bytes. A letter that died again bears the headers twice: the first ones tell its origin, the last ones its failure. */
export const springKafka: DialectReader = {
  name: 'spring-kafka',
  producer: 'Spring Kafka, dead-letter topic',
  confidence: 'certain',
  signs: ['kafka_dlt-original-topic', 'kafka_dlt-exception-fqcn', 'kafka_dlt-key-exception-fqcn'],
  headers: ['kafka_dlt-*', 'kafka_deliveryAttempt'],
  read: (letter) =>
    failureOf({
      source: {
        channel: letter.text('kafka_dlt-original-topic'),
        partition: asCount(letter.binaryNumber('kafka_dlt-original-partition')),
        offset: letter.binaryNumber('kafka_dlt-original-offset'),
      },
      group: letter.text('kafka_dlt-original-consumer-group'),
      ...springError(letter, 'kafka_dlt-'),
      attempts: asCount(letter.binaryNumber('kafka_deliveryAttempt')),
      firstSeenAt: letter.binaryTime('kafka_dlt-original-timestamp'),
    }),
}
