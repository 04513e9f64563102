import { type DialectReader, failureOf } from '../reading.ts'

/** Reason and description are the broker's own or those of whoever dead-lettered it. */
export const azureServiceBus: DialectReader = {
  name: 'azure-service-bus',
  producer: 'Azure Service Bus itself',
  confidence: 'certain',
  signs: ['DeadLetterReason', 'DeadLetterErrorDescription', 'DeadLetterSource'],
  headers: ['DeadLetterReason', 'DeadLetterErrorDescription', 'DeadLetterSource'],
  read: (letter) =>
    failureOf({
      source: { channel: letter.text('DeadLetterSource') ?? entityOf(letter.channel), position: letter.text('SequenceNumber') },
      reason: letter.text('DeadLetterReason'),
      errorMessage: letter.text('DeadLetterErrorDescription'),
      deliveries: letter.count('DeliveryCount'),
      firstSeenAt: letter.time('EnqueuedTimeUtc'),
    }),
}

const subQueue = '/$deadletterqueue'

/** A dead-letter queue is part of the entity whose letters it holds. */
function entityOf(channel: string): string | undefined {
  return channel.toLowerCase().endsWith(subQueue) ? channel.slice(0, -subQueue.length) : undefined
}
