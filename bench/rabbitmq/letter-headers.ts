import { randomUUID } from 'node:crypto'
import type { ConsumeMessage } from 'amqplib'
import type { Task } from './task.ts'

/** What a letter of Redrive says, put together by hand, so that everybody who writes headers publishes as many. */
export function letterHeaders({ properties }: ConsumeMessage, { queue }: Task, error: Error): Record<string, unknown> {
  return {
    'redrive-letter': properties.messageId,
    'redrive-reason': 'ProcessingFailed',
    'redrive-error-type': error.name,
    'redrive-class': 'permanent',
    'redrive-failed-at': new Date().toISOString(),
    'redrive-failed-attempts': '1',
    'redrive-deliveries': '1',
    'redrive-origin-channel': queue,
    'redrive-service': 'bench',
    'redrive-correlation-id': randomUUID(),
    'redrive-description': error.message,
  }
}
