import type { LetterFields } from '../letter-fields.ts'
import { type DialectReader, failureOf } from '../reading.ts'

const topics = ['original_topic', 'original-topic', 'dlq_origin_topic', 'dlq.origin.topic', 'dlq-original-topic', 'originalTopic']
const types = ['error_type', 'error-type', 'dlq-error-class', 'exception_class', 'exception.class']
const texts = [
  'error_message',
  'error-message',
  'error_reason',
  'failure_reason',
  'failure-reason',
  'dlq_reason',
  'dlq-reason',
  'error',
]
const times = ['failed_at', 'failed-at', 'failure_timestamp', 'dlq-failed-at', 'dlq_timestamp']
const attempts = ['dlq-attempts', 'dlq_attempts', 'attempts', 'retry_count', 'retry-count']
const all = [...topics, ...types, ...texts, ...times, ...attempts]

/** Names that people give such headers when they write their own; in the body only together, because there they may mean anything. */
export const generic: DialectReader = {
  name: 'generic',
  producer: 'Home-made, by names that many use',
  confidence: 'guess',
  signs: [],
  sign: `a header that tells the topic (${quoted(topics)}) or the error (${quoted([...types, ...texts])}), or a JSON body that tells both`,
  headers: all,
  envelope: (letter) => (isInHeaders(letter) ? [] : all),
  read(letter) {
    const told = isInHeaders(letter) ? letter : envelopeOf(letter)
    if (told === undefined) return undefined
    return failureOf({
      source: { channel: told.text(...topics) },
      errorType: told.text(...types),
      errorMessage: told.text(...texts),
      attempts: told.count(...attempts),
      failedAt: told.time(...times),
    })
  },
}

function isInHeaders({ has }: LetterFields): boolean {
  return [...topics, ...types, ...texts].some(has)
}

function envelopeOf(letter: LetterFields): LetterFields | undefined {
  const body = letter.json()
  return body !== undefined && topics.some(body.has) && [...types, ...texts].some(body.has) ? body : undefined
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
