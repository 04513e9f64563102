import { headOf } from '../../error-head.ts'
import { type DialectReader, failureOf } from '../reading.ts'

/** The republishing recoverer. It names no type; the first line of a stack trace does, where there is one. */
export const springAmqp: DialectReader = {
  name: 'spring-amqp',
  producer: 'Spring AMQP',
  confidence: 'certain',
  signs: ['x-original-routingKey'],
  headers: ['x-original-exchange', 'x-original-routingKey', 'x-exception-*', 'retry_count'],
  read(letter) {
    const stack = letter.text('x-exception-stacktrace')
    const retries = letter.count('retry_count')
    return failureOf({
      source: { channel: letter.text('x-original-routingKey'), position: letter.text('x-original-exchange') },
      errorType: headOf(stack?.split('\n', 1)[0] ?? '').type,
      errorMessage: letter.text('x-exception-message'),
      stack,
      attempts: retries === undefined ? undefined : retries + 1,
    })
  },
}
