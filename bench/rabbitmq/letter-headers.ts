import type { ConsumeMessage } from 'amqplib'
import { letterByHand } from '../letter-by-hand.ts'
import type { Task } from './task.ts'

/** For everybody who writes the headers of a letter. */
export function letterHeaders({ properties }: ConsumeMessage, { queue }: Task, error: Error): Record<string, unknown> {
  return letterByHand(error, { id: properties.messageId, channel: queue, attempts: 1, deliveries: 1 })
}
