import { type DialectReader, failureOf } from '../reading.ts'

const prefix = 'CloudPubSubDeadLetterSource'

export const gcpPubsub: DialectReader = {
  name: 'gcp-pubsub',
  producer: 'Google Cloud Pub/Sub itself',
  confidence: 'certain',
  signs: [`${prefix}Subscription`, `${prefix}DeliveryCount`],
  headers: [`${prefix}*`],
  read: (letter) =>
    failureOf({
      group: letter.text(`${prefix}Subscription`),
      deliveries: letter.count(`${prefix}DeliveryCount`),
      firstSeenAt: letter.time(`${prefix}TopicPublishTime`),
    }),
}
