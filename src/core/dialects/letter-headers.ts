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
export function letterHeadersOf(draft: LetterDraft): readonly LetterHeader[] {
  const { consumer, message } = draft
  return [
    fact(redriveHeaders.letter, draft.letter),
    ...factIf(redriveHeaders.generation, draft.generation > 0 ? String(draft.generation) : undefined),
    ...failureHeaders(draft),
    fact(names.service, consumer.service),
    ...factIf(names.version, consumer.version),
    ...factIf(names.correlationId, message.correlationId === undefined ? draft.correlationId : undefined),
    ...historyIf(draft),
  ]
}

/** What failed, when and where: all that is known where no consumer of ours wrote the letter. */
export function failureHeaders({ failure, origin }: Pick<LetterDraft, 'failure' | 'origin'>): readonly LetterHeader[] {
  return [
    fact(names.reason, failure.reason),
    fact(names.errorType, failure.errorType),
    fact(names.class, failure.class),
    fact(names.failedAt, isoTime(failure.at)),
    fact(names.failedAttempts, String(failure.attempts)),
    fact(names.deliveries, String(failure.deliveries)),
    fact(redriveHeaders.originChannel, origin.channel),
    ...factIf(names.originGroup, origin.group),
    ...factIf(redriveHeaders.originPosition, origin.position),
    ...(failure.stack === undefined ? [] : [stack(names.stack, failure.stack)]),
  ]
}

/** Only where the dialect has no field of its own for it. */
export function description({ failure }: Pick<LetterDraft, 'failure'>): LetterHeader {
  return text(names.description, failure.description)
}

/** Where the failure is the only run that is known to have failed, everything has been told. */
function historyIf({ failedRuns, failure }: LetterDraft): readonly LetterHeader[] {
  const hasOthers = failedRuns.length > 1 || (failedRuns[0]?.at ?? failure.at) !== failure.at
  return hasOthers ? [history(redriveHeaders.failedRuns, failedRunsText(failedRuns))] : []
}

function factIf(name: string, value: string | undefined): readonly LetterHeader[] {
  return value === undefined ? [] : [fact(name, value)]
}
