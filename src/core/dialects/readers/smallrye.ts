import { asCount } from '../read-number.ts'
import { type DialectReader, failureOf } from '../reading.ts'

/** The cause is what went wrong; what was thrown often only carried it. */
export const smallrye: DialectReader = {
  name: 'smallrye',
  producer: 'SmallRye Reactive Messaging, Quarkus',
  confidence: 'certain',
  signs: ['dead-letter-reason', 'dead-letter-topic', 'dead-letter-exception-class-name'],
  headers: ['dead-letter-*'],
  read: (letter) =>
    failureOf({
      source: {
        channel: letter.text('dead-letter-topic'),
        partition: asCount(letter.number('dead-letter-partition')),
        offset: letter.number('dead-letter-offset'),
      },
      errorType: letter.text('dead-letter-cause-class-name', 'dead-letter-exception-class-name'),
      errorMessage: letter.text('dead-letter-cause', 'dead-letter-reason'),
    }),
}
