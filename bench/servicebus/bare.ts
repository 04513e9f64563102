import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import type { Work } from '../library.ts'
import type { Order } from '../payload.ts'

/** What both ways to write it by hand do with a message: parse, and settle. They know nothing of crashes, delays and turns. */
export function handleBare({ body }: ServiceBusReceivedMessage): Order {
  return JSON.parse(String(body))
}

export function settleBare(receiver: ServiceBusReceiver, message: ServiceBusReceivedMessage, work: Work): Promise<void> {
  if (work === 'succeed') return receiver.completeMessage(message)
  const why = { deadLetterReason: 'NonRetryableError', deadLetterErrorDescription: 'this one never works' }
  return receiver.deadLetterMessage(message, why)
}
