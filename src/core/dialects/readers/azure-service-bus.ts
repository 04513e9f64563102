import type { LetterFields } from '../letter-fields.ts'
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
      deliveries: deliveriesOf(letter),
      firstSeenAt: letter.time('EnqueuedTimeUtc'),
    }),
}

/** The service counts what came back to it; who dead-letters a message himself, for reasons of his own, has had it once more. */
function deliveriesOf(letter: LetterFields): number | undefined {
  const returned = letter.count('DeliveryCount')
  const isByService = reasonsOfService.has(letter.text('DeadLetterReason') ?? '')
  return returned === undefined || isByService ? returned : returned + 1
}

const reasonsOfService: ReadonlySet<string> = new Set([
  'MaxDeliveryCountExceeded',
  'TTLExpiredException',
  'HeaderSizeExceeded',
  'MaxTransferHopCountExceeded',
  'Session ID is null.',
])

const subQueue = '/$deadletterqueue'

/** A dead-letter queue is part of the entity whose letters it holds. */
function entityOf(channel: string): string | undefined {
  return channel.toLowerCase().endsWith(subQueue) ? channel.slice(0, -subQueue.length) : undefined
}
