import { failedRunsText } from '../failed-runs.ts'
import type { LetterDraft } from '../letter.ts'
import { redriveHeaders } from '../letter.ts'
import { droppedHeaders, fact, history, type LetterHeader, stack, text } from './header-budget.ts'
import { isoTime } from './iso-time.ts'

/** What Redrive writes on a letter. */
export const names = {
  reason: 'redrive-reason',
  description: 'redrive-description',
  errorType: 'redrive-error-type',
  class: 'redrive-class',
  failedAt: 'redrive-failed-at',
  /** Not `redrive-attempts`: that one is the live counter on copies, and a replayed letter must start from none. */
  failedAttempts: 'redrive-failed-attempts',
  deliveries: 'redrive-deliveries',
  originGroup: 'redrive-origin-group',
  service: 'redrive-service',
  version: 'redrive-version',
  correlationId: 'redrive-correlation-id',
  stack: 'redrive-stack',
}

/** What a replay takes off, and what a letter replaces where the message bears it from an earlier life. */
export const letterHeaderNames: ReadonlySet<string> = new Set([
  ...Object.values(names),
  redriveHeaders.letter,
  redriveHeaders.generation,
  redriveHeaders.originChannel,
  redriveHeaders.originPosition,
  redriveHeaders.attempts,
  redriveHeaders.failedRuns,
  redriveHeaders.suspect,
  droppedHeaders,
])

/** What is known about the letter, the most important first; every dialect adds it, because a letter's identity is in it. */
export function letterHeadersOf(draft: LetterDraft): LetterHeader[] {
  const { consumer, message } = draft
  const written = [fact(redriveHeaders.letter, draft.letter)]
  if (draft.generation > 0) written.push(fact(redriveHeaders.generation, String(draft.generation)))
  addFailure(written, draft)
  written.push(fact(names.service, consumer.service))
  if (consumer.version !== undefined) written.push(fact(names.version, consumer.version))
  if (message.correlationId === undefined) written.push(fact(names.correlationId, draft.correlationId))
  if (hasHistory(draft)) written.push(history(redriveHeaders.failedRuns, failedRunsText(draft.failedRuns)))
  return written
}

type WhatFailed = Pick<LetterDraft, 'failure' | 'origin'>

/** What failed, when and where: all that is known where no consumer of ours wrote the letter. */
export function failureHeaders(failed: WhatFailed): LetterHeader[] {
  const written: LetterHeader[] = []
  addFailure(written, failed)
  return written
}

/** To one list, which a letter is written into from its first header to its last. */
function addFailure(written: LetterHeader[], { failure, origin }: WhatFailed): void {
  written.push(
    fact(names.reason, failure.reason),
    fact(names.errorType, failure.errorType),
    fact(names.class, failure.class),
    fact(names.failedAt, isoTime(failure.at)),
    fact(names.failedAttempts, String(failure.attempts)),
    fact(names.deliveries, String(failure.deliveries)),
    fact(redriveHeaders.originChannel, origin.channel),
  )
  if (origin.group !== undefined) written.push(fact(names.originGroup, origin.group))
  if (origin.position !== undefined) written.push(fact(redriveHeaders.originPosition, origin.position))
  if (failure.stack !== undefined) written.push(stack(names.stack, failure.stack))
}

/** Only where the dialect has no field of its own for it. */
export function description({ failure }: Pick<LetterDraft, 'failure'>): LetterHeader {
  return text(names.description, failure.description)
}

/** Where the failure is the only run that is known to have failed, everything has been told. */
function hasHistory({ failedRuns, failure }: LetterDraft): boolean {
  return failedRuns.length > 1 || (failedRuns[0]?.at ?? failure.at) !== failure.at
}
