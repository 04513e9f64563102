import { randomUUID } from 'node:crypto'

export interface Buried {
  /** What the letter is known by. */
  readonly id: string
  readonly channel: string
  /** Where it stood there, on brokers that tell. */
  readonly position?: string
  readonly attempts: number
  readonly deliveries: number
}

/**
 * What a letter of Redrive says, put together by whoever writes a loop by hand, so that everybody writes as much: what failed, of what, when, where
 * and how often, and an id to find it by. No stack trace: Redrive writes none unless it is told to.
 */
export function letterByHand(error: Error, { id, channel, position, attempts, deliveries }: Buried): Record<string, string> {
  return {
    'redrive-letter': id,
    'redrive-reason': 'ProcessingFailed',
    'redrive-error-type': error.name,
    'redrive-class': 'permanent',
    'redrive-failed-at': new Date().toISOString(),
    'redrive-failed-attempts': String(attempts),
    'redrive-deliveries': String(deliveries),
    'redrive-origin-channel': channel,
    ...(position !== undefined && { 'redrive-origin-position': position }),
    'redrive-service': 'bench',
    'redrive-correlation-id': randomUUID(),
    'redrive-description': error.message,
  }
}
