import { asCount } from '../read-number.ts'
import { type DialectReader, failureOf } from '../reading.ts'

export const springCloudStream: DialectReader = {
  name: 'spring-cloud-stream',
  producer: 'Spring Cloud Stream on Kafka',
  confidence: 'likely',
  signs: ['x-original-topic'],
  headers: ['x-original-topic', 'x-original-partition', 'x-original-offset', 'x-original-timestamp*', 'x-exception-*'],
  read: (letter) =>
    failureOf({
      source: {
        channel: letter.text('x-original-topic'),
        partition: asCount(letter.binaryNumber('x-original-partition')),
        offset: letter.binaryNumber('x-original-offset'),
      },
      errorType: letter.lastText('x-exception-fqcn'),
      errorMessage: letter.lastText('x-exception-message'),
      stack: letter.lastText('x-exception-stacktrace'),
      firstSeenAt: letter.binaryTime('x-original-timestamp'),
    }),
}
