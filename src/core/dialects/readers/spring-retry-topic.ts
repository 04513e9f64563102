import { asCount } from '../read-number.ts'
import { type DialectReader, failureOf } from '../reading.ts'
import { springError } from '../spring-error.ts'

/** Only the group has the name that it has on a dead-letter topic. */
export const springRetryTopic: DialectReader = {
  name: 'spring-retry-topic',
  producer: 'Spring Kafka, retry topics',
  confidence: 'certain',
  signs: ['kafka_original-topic', 'kafka_exception-fqcn', 'retry_topic-attempts'],
  headers: [
    'kafka_original-*',
    'kafka_exception-*',
    'kafka_key-exception-*',
    'kafka_dlt-original-consumer-group',
    'retry_topic-*',
  ],
  read: (letter) =>
    failureOf({
      source: {
        channel: letter.text('kafka_original-topic'),
        partition: asCount(letter.binaryNumber('kafka_original-partition')),
        offset: letter.binaryNumber('kafka_original-offset'),
      },
      group: letter.text('kafka_dlt-original-consumer-group', 'kafka_original-consumer-group'),
      ...springError(letter, 'kafka_'),
      attempts: asCount(letter.binaryNumber('retry_topic-attempts')),
      firstSeenAt: letter.binaryTime('retry_topic-original-timestamp', 'kafka_original-timestamp'),
    }),
}
