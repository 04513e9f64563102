import type { Failure } from '../core/failure.ts'
import type { FailureEvent, MessageEvent } from './events.ts'
import { derivedCorrelationId, letterIdOf } from './letter-identity.ts'
import type { ChannelScope } from './scope.ts'
import type { Turn } from './turn.ts'

export function messageEvent(turn: Turn, scope: ChannelScope): MessageEvent {
  const { message, deliveries } = turn.delivery
  return {
    channel: scope.settings.name,
    messageId: message.id,
    messageType: message.type,
    correlationId: turn.correlationId ?? message.correlationId,
    attempt: turn.attempt,
    deliveries,
    replayed: turn.replayed,
  }
}

export function failureEvent(turn: Turn, failure: Failure, scope: ChannelScope): FailureEvent {
  const { reason, errorType, description } = failure
  return { ...messageEvent(turn, scope), reason, class: failure.class, errorType, description }
}

/**
 * The message's own, or one that is made from where it stands: a failure without one could not be traced, and all attempts of a
 * message and its letter are to be found by the same.
 */
export function correlationIdOf(turn: Turn, scope: ChannelScope): string {
  turn.correlationId ??= turn.delivery.message.correlationId ?? derivedCorrelationId(letterIdOf(turn, scope))
  return turn.correlationId
}
