import type { Failure } from '../failure.ts'
import { withHeaders } from '../headers.ts'
import type { Origin } from '../letter.ts'
import type { Message } from '../message.ts'
import { description, failureHeaders } from './letter-headers.ts'

/**
 * A letter as a queue of our own writes it when it dead-letters by itself: the message as it was, with the failure in the same
 * headers as everywhere. Who consumed it and which letter it is, only a consumer knows; what an earlier letter said of that stays.
 */
export function nativeLetter(message: Message, failure: Failure, origin: Origin): Message {
  const written = [...failureHeaders({ failure, origin }), description({ failure })]
  return {
    ...message,
    headers: withHeaders(
      message.headers,
      written.map(({ name, value }) => [name, value] as const),
    ),
  }
}

/** Why a message is dead that stood in its channel for longer than it may. */
export function expiry(channel: string, ttl: number, at: number, had: { turns: number; deliveries: number }): Failure {
  return {
    reason: 'Expired',
    description: `It stood in ${channel} for longer than ${ttl} ms.`,
    errorType: 'Expired',
    class: 'permanent',
    at,
    attempts: had.turns,
    deliveries: had.deliveries,
  }
}
