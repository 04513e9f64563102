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

/** Names that people give such headers when they write their own; in the body only together, because there they may mean anything. */
export const generic: DialectReader = {
  name: 'generic',
  producer: 'Home-made, by names that many use',
  confidence: 'guess',
  signs: [],
  sign: `a header that tells the topic (${quoted(topics)}) or the error (${quoted([...types, ...texts])}), or a JSON body that tells both`,
  headers: [...topics, ...types, ...texts, ...times, ...attempts],
  read(letter) {
    const isInHeaders = [...topics, ...types, ...texts].some(letter.has)
    const body = isInHeaders ? undefined : letter.json()
    const isInBody = body !== undefined && topics.some(body.has) && [...types, ...texts].some(body.has)
    const told = isInBody ? body : letter
    if (!isInHeaders && !isInBody) return undefined
    return failureOf({
      source: { channel: told.text(...topics) },
      errorType: told.text(...types),
      errorMessage: told.text(...texts),
      attempts: told.count(...attempts),
      failedAt: told.time(...times),
    })
  },
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
