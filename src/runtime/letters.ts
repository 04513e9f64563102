import { dialectWriters } from '../core/dialects/writers.ts'
import type { Failure } from '../core/failure.ts'
import { countHeader, header, textHeader, withHeaders, withoutHeaders } from '../core/headers.ts'
import { type LetterDraft, type Origin, redriveHeaders } from '../core/letter.ts'
import type { Header, Message } from '../core/message.ts'
import { maxRuns } from '../core/policy.ts'
import { failedRunsHeader, failedRunsOf } from './failed-runs.ts'
import { letterIdOf } from './letter-identity.ts'
import { correlationIdOf } from './message-event.ts'
import type { ChannelScope } from './scope.ts'
import type { Turn } from './turn.ts'

export interface WrittenLetter {
  readonly id: string
  readonly message: Message
}

/**
 * The dead letter of this turn, in the channel's dialect; where that makes the body larger than the broker takes, in our own, which
 * leaves the body as it is. A letter that can never be written would be tried for ever.
 */
export function writeLetter(turn: Turn, failure: Failure, scope: ChannelScope): WrittenLetter {
  const { settings, transport, platform, consumer } = scope
  const { delivery, route } = turn
  const runsBefore = (turn.attempt - 1) * (1 + route.policy.retry.immediate)
  const draft: LetterDraft = {
    message: delivery.message,
    failure,
    failedRuns: failedRunsOf(turn),
    origin: originOf(turn, scope),
    consumer: {
      service: consumer.service,
      environment: consumer.environment,
      ...(consumer.version !== undefined && { version: consumer.version }),
    },
    letter: letterIdOf(turn, scope),
    generation: countHeader(delivery.message.headers, redriveHeaders.generation) ?? 0,
    correlationId: correlationIdOf(turn, scope),
    retries: Math.max(0, runsBefore + turn.runs - 1),
    maxRetries: maxRuns(route.policy) - 1,
    newId: platform.newId,
    writtenAt: platform.clock.now(),
  }
  const budget = Math.min(settings.headerBudget, transport.capabilities.messages.maxHeaders)
  const message = dialectWriters[settings.dialect](draft, budget)
  const fits = (message.body?.byteLength ?? 0) <= transport.capabilities.messages.maxBody
  return { id: draft.letter, message: fits ? message : dialectWriters.redrive(draft, budget) }
}

/** On a log, a copy of a retry knows where its original stood. */
function originOf({ delivery }: Turn, { settings }: ChannelScope): Origin {
  const group = settings.group ?? delivery.address.group
  const { position } = delivery
  const firstPosition = textHeader(delivery.message.headers, redriveHeaders.originPosition) ?? position
  return {
    channel: settings.name,
    ...(group !== undefined && { group }),
    ...(position !== undefined && { position }),
    ...(firstPosition !== undefined && { firstPosition }),
  }
}

/** The same message for another turn, with what a broker that knows only copies would forget. */
export function retryCopy(turn: Turn, scope: ChannelScope): Message {
  if (turn.copy) return turn.copy
  const { message, position } = turn.delivery
  const added: Header[] = [[redriveHeaders.attempts, String(turn.attempt)], ...failedRunsHeader(turn, scope)]
  if (position !== undefined && header(message.headers, redriveHeaders.originPosition) === undefined) {
    added.push([redriveHeaders.originChannel, scope.settings.name], [redriveHeaders.originPosition, position])
  }
  const kept = withoutHeaders(message.headers, (name) => name === redriveHeaders.suspect)
  return { ...message, headers: withHeaders(kept, added) }
}
