import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import { handleOne } from '../by-hand.ts'
import type { Progress } from '../consuming.ts'
import { type Buried, letterByHand } from '../letter-by-hand.ts'
import { fails } from '../library.ts'
import type { Order } from '../payload.ts'
import type { Task } from './task.ts'

/** What both ways to write it by hand do with a message: parse, handle, and settle. They know nothing of crashes, delays and turns. */
export async function handleAndSettle(
  receiver: ServiceBusReceiver,
  message: ServiceBusReceivedMessage,
  task: Task,
  progress: Progress,
): Promise<void> {
  const error = await handleOne(message, { orderIn, fails: fails(task) }, progress)
  if (!error) return receiver.completeMessage(message)
  await receiver.deadLetterMessage(message, {
    ...letterByHand(error, buried(message, task)),
    deadLetterReason: 'NonRetryableError',
    deadLetterErrorDescription: error.message,
  })
}

function buried({ messageId, sequenceNumber, deliveryCount = 0 }: ServiceBusReceivedMessage, { queue }: Task): Buried {
  const turns = deliveryCount + 1
  return { id: String(messageId), channel: queue, position: String(sequenceNumber), attempts: turns, deliveries: turns }
}

function orderIn({ body }: ServiceBusReceivedMessage): Order {
  return JSON.parse(String(body))
}
