import type { LetterFields } from '../letter-fields.ts'
import { asCount } from '../read-number.ts'
import { type DialectReader, failureOf, type ReadFailure } from '../reading.ts'
import { redriveFailure } from './redrive.ts'

const told = ['original_topic', 'failure_reason', 'failure_timestamp', 'retry_count', 'max_retries']

/** Seed 003: the letter is a message of its own, and what it says stands in its JSON body as well as in its headers. */
export const onex: DialectReader = {
  name: 'onex',
  producer: 'ONEX',
  confidence: 'certain',
  signs: [],
  sign: 'header `event_type` is `dlq_message`, or a JSON body with `original_topic`, `original_message` and `failure_reason`',
  headers: ['event_type', ...told],
  envelope: () => [...told, 'error_type'],
  read(letter) {
    const body = letter.json()
    const isOnex = letter.text('event_type') === 'dlq_message' || (body !== undefined && bodySigns.every(body.has))
    return isOnex ? failure(letter, body ?? letter) : undefined
  },
}

const bodySigns = ['original_topic', 'original_message', 'failure_reason']

function failure(letter: LetterFields, body: LetterFields): ReadFailure {
  const original = body.table('original_message')
  const retries = body.count('retry_count')
  const text = body.text('failure_reason') ?? letter.text('failure_reason')
  const ours = redriveFailure(letter)
  return failureOf({
    handler: letter.text('source'),
    errorType: body.text('error_type'),
    attempts: retries === undefined ? undefined : retries + 1,
    failedAt: body.time('failure_timestamp') ?? letter.time('failure_timestamp'),
    ...ours,
    // A failure without a description is written with its reason in place of one.
    errorMessage: text === ours.reason ? undefined : text,
    source: {
      channel: body.text('original_topic') ?? letter.text('original_topic'),
      partition: asCount(original?.number('partition')),
      offset: original?.number('offset'),
      ...ours.source,
    },
  })
}
