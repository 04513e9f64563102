import type { WantedChannel } from '../topology.ts'
import type { QueueType } from './options.ts'

/** What a queue is declared with, by the broker's own names. `durable` is among them, since it can differ as well. */
export type QueueArguments = Readonly<Record<string, string | number | boolean>>

/** Releases count on a quorum queue, so its limit must leave room above the turns that the policy allows. */
export const roomAboveTurns = 10
const defaultLimit = 100

/**
 * Dead letters go through the default exchange, which always exists and is bound to every queue by its name: nobody can forget,
 * delete or unbind it. On a quorum queue they are handed over at least once, which needs the overflow to be refused.
 */
export function argumentsFor(wanted: WantedChannel, queueType: QueueType, version: string): QueueArguments {
  const { deadLetterTo, ttl } = wanted
  return {
    'x-queue-type': queueType,
    ...(deadLetterTo && { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': deadLetterTo.name }),
    ...(ttl !== undefined && { 'x-message-ttl': Math.ceil(ttl) }),
    ...(queueType === 'quorum' && quorumArguments(wanted, version)),
  }
}

function quorumArguments({ deadLetterTo, maxTurns = 0 }: WantedChannel, version: string): QueueArguments {
  if (!deadLetterTo) return hasDefaultLimit(version) ? { 'x-delivery-limit': -1 } : {}
  return {
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
    'x-delivery-limit': Math.max(defaultLimit, maxTurns + roomAboveTurns),
  }
}

/** From version 4 on a quorum queue without a limit of its own gives up after 20 deliveries, and without a DLX it drops. */
export const limitByDefault = 20
export function hasDefaultLimit(version: string): boolean {
  return Number.parseInt(version, 10) >= 4
}

/** How often a queue delivers a message before it gives up; `Infinity` where it never does. */
export function deliveryLimit(found: QueueArguments, version: string): number {
  if (found['x-queue-type'] !== 'quorum') return Number.POSITIVE_INFINITY
  const limit = found['x-delivery-limit'] ?? found['delivery-limit']
  if (limit === undefined) return hasDefaultLimit(version) ? limitByDefault : Number.POSITIVE_INFINITY
  return Number(limit) < 0 && hasDefaultLimit(version) ? Number.POSITIVE_INFINITY : Number(limit)
}
