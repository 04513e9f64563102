import type { FailureClass } from '../../failure.ts'
import { redriveHeaders } from '../../letter.ts'
import type { LetterFields } from '../letter-fields.ts'
import { letterHeaderNames, names } from '../letter-headers.ts'
import { type DialectReader, failureOf, type ReadFailure } from '../reading.ts'

/** Not the identity of a letter: a replayed message bears that too, and may die by somebody else's hand. */
const sign = names.reason

export const redriveReader: DialectReader = {
  name: 'redrive',
  producer: 'Redrive',
  confidence: 'certain',
  signs: [sign],
  headers: [...letterHeaderNames],
  read: redriveFailure,
}

/** What Redrive wrote; nothing where it wrote nothing. The other dialects in which it writes bear the same headers. */
export function redriveFailure(letter: LetterFields): ReadFailure {
  if (!letter.has(sign)) return {}
  return failureOf({
    source: { channel: letter.text(redriveHeaders.originChannel), position: letter.text(redriveHeaders.originPosition) },
    group: letter.text(names.originGroup),
    handler: letter.text(names.service),
    reason: letter.text(names.reason),
    errorType: letter.text(names.errorType),
    errorMessage: letter.text(names.description),
    stack: letter.text(names.stack),
    class: classNamed(letter.text(names.class)),
    attempts: letter.count(names.failedAttempts),
    deliveries: letter.count(names.deliveries),
    failedAt: letter.time(names.failedAt),
  })
}

const classes: readonly FailureClass[] = ['retryable', 'permanent', 'invalid', 'cancelled']

function classNamed(name: string | undefined): FailureClass | undefined {
  return classes.find((known) => known === name)
}
