import { withoutHeaders } from '../headers.ts'
import type { DialectWriter, LetterDraft } from '../letter.ts'
import { logPlaceOf } from '../log-place.ts'
import { fact, fitHeaders, type LetterHeader, stack, text } from './header-budget.ts'
import { description, letterHeaderNames, letterHeadersOf } from './letter-headers.ts'

const prefix = '__connect.errors.'

/** As Kafka Connect writes a dead-letter queue with its context headers: the record as it was, and text beside its own headers. */
export const kafkaConnect: DialectWriter = (draft, headerBudget) => {
  const own = withoutHeaders(draft.message.headers, (name) => letterHeaderNames.has(name) || name.startsWith(prefix))
  return {
    ...draft.message,
    headers: fitHeaders(own, [...letterHeadersOf(draft), ...headersOf(draft), description(draft)], headerBudget),
  }
}

/** `stage` is where a task of Connect failed; ours fail where it hands records to its sink. */
function headersOf({ origin, failure, consumer }: LetterDraft): readonly LetterHeader[] {
  const place = logPlaceOf(origin.firstPosition)
  return [
    fact(`${prefix}topic`, origin.channel),
    ...(place ? [fact(`${prefix}partition`, String(place.partition)), fact(`${prefix}offset`, String(place.offset))] : []),
    fact(`${prefix}connector.name`, origin.group ?? consumer.service),
    fact(`${prefix}task.id`, '0'),
    fact(`${prefix}stage`, 'TASK_PUT'),
    fact(`${prefix}class.name`, consumer.service),
    fact(`${prefix}exception.class.name`, failure.errorType),
    text(`${prefix}exception.message`, failure.description),
    ...(failure.stack === undefined ? [] : [stack(`${prefix}exception.stacktrace`, failure.stack)]),
  ]
}
