import type { Failure } from '../core/failure.ts'
import type { FailureEvent, MessageEvent } from './events.ts'
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

/** The message's own, or one that is drawn once and then stays: a failure without one could not be traced. */
export function correlationIdOf(turn: Turn, scope: ChannelScope): string {
  turn.correlationId ??= turn.delivery.message.correlationId ?? scope.platform.newId()
  return turn.correlationId
}
