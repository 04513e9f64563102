import { type DialectReader, failureOf } from '../reading.ts'

export const watermill: DialectReader = {
  name: 'watermill',
  producer: 'Watermill',
  confidence: 'certain',
  signs: ['reason_poisoned', 'topic_poisoned'],
  headers: ['*_poisoned'],
  read: (letter) =>
    failureOf({
      source: { channel: letter.text('topic_poisoned') },
      group: letter.text('subscriber_poisoned'),
      handler: letter.text('handler_poisoned'),
      errorMessage: letter.text('reason_poisoned'),
    }),
}
