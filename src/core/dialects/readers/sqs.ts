import { type DialectReader, failureOf } from '../reading.ts'

/** The broker tells where it came from and how often it was given out, and nothing of why. */
export const sqs: DialectReader = {
  name: 'sqs',
  producer: 'Amazon SQS itself',
  confidence: 'certain',
  signs: ['DeadLetterQueueSourceArn'],
  headers: ['DeadLetterQueueSourceArn'],
  read: (letter) =>
    failureOf({
      source: { channel: letter.text('DeadLetterQueueSourceArn')?.split(':').pop() || undefined },
      deliveries: letter.count('ApproximateReceiveCount'),
      firstSeenAt: letter.time('SentTimestamp', 'ApproximateFirstReceiveTimestamp'),
    }),
}
