import { base64 } from '../base64.ts'
import { withoutHeaders } from '../headers.ts'
import type { DialectWriter, LetterDraft } from '../letter.ts'
import { logPlaceOf } from '../log-place.ts'
import type { Message } from '../message.ts'
import { fact, fitHeaders, type LetterHeader, text } from './header-budget.ts'
import { isoTimeWithOffset } from './iso-time.ts'
import { letterHeaderNames, letterHeadersOf } from './letter-headers.ts'
import { typedJson } from './typed-json.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Seed 003: the letter is a message of its own, whose JSON body holds the original. Fields that the seed does not name are added
 * beside its own where the original could not be restored without them.
 */
export const onex: DialectWriter = (draft, headerBudget) => {
  const id = draft.newId()
  const correlationId = isUuid(draft.correlationId) ? draft.correlationId : id
  const { key } = draft.message
  return {
    id,
    type: eventType,
    contentType,
    correlationId,
    ...(key === undefined ? {} : { key }),
    headers: fitHeaders([], [...letterHeadersOf(draft), ...onexHeaders(draft, id, correlationId)], headerBudget),
    body: encoder.encode(payload(draft, correlationId)),
  }
}

const eventType = 'dlq_message'
const contentType = 'application/json'

/** In the order of the seed's table. */
function onexHeaders(draft: LetterDraft, id: string, correlationId: string): readonly LetterHeader[] {
  const { consumer, failure, origin } = draft
  return [
    fact('content_type', contentType),
    fact('correlation_id', correlationId),
    fact('message_id', id),
    fact('timestamp', isoTimeWithOffset(draft.writtenAt)),
    fact('source', `${consumer.environment}.${origin.group ?? consumer.service}`),
    fact('event_type', eventType),
    fact('schema_version', '1.0.0'),
    fact('priority', 'normal'),
    // The letter itself was never retried; how often the original was stands in the payload.
    fact('retry_count', '0'),
    fact('max_retries', String(draft.maxRetries)),
    fact('original_topic', origin.channel),
    text('failure_reason', failureReason(draft)),
    fact('failure_timestamp', isoTimeWithOffset(failure.at)),
  ]
}

function payload(draft: LetterDraft, correlationId: string): string {
  const { failure, origin, message } = draft
  const original = message.correlationId
  return jsonObject({
    original_topic: JSON.stringify(origin.channel),
    original_message: originalMessage(draft),
    failure_reason: JSON.stringify(failureReason(draft)),
    failure_timestamp: JSON.stringify(isoTimeWithOffset(failure.at)),
    correlation_id: JSON.stringify(correlationId),
    retry_count: JSON.stringify(draft.retries),
    error_type: JSON.stringify(failure.errorType),
    ...(original === undefined || original === correlationId ? {} : { original_correlation_id: JSON.stringify(original) }),
  })
}

function originalMessage({ message, origin }: LetterDraft): string {
  const { body, key } = message
  const place = logPlaceOf(origin.firstPosition)
  const headers = withoutHeaders(message.headers, (name) => letterHeaderNames.has(name))
  return jsonObject({
    key: JSON.stringify(key instanceof Uint8Array ? decoder.decode(key) : (key ?? null)),
    value: JSON.stringify(body === null ? '' : decoder.decode(body)),
    offset: String(place?.offset ?? 0),
    partition: String(place?.partition ?? 0),
    value_base64: JSON.stringify(body === null ? '' : base64(body)),
    ...(body === null ? { value_is_null: 'true' } : {}),
    ...(key instanceof Uint8Array ? { key_base64: JSON.stringify(base64(key)) } : {}),
    headers: JSON.stringify(headers.map(([name, value]) => [name, typedJson(value)])),
    ...restOf(message),
  })
}

/** What else a message has, and a broker would give back. */
function restOf({ id, type, contentType, native }: Message): Record<string, string> {
  return {
    ...(id === undefined ? {} : { id: JSON.stringify(id) }),
    ...(type === undefined ? {} : { type: JSON.stringify(type) }),
    ...(contentType === undefined ? {} : { content_type: JSON.stringify(contentType) }),
    ...(native === undefined ? {} : { native: JSON.stringify(typedJson(native)) }),
  }
}

function failureReason({ failure }: LetterDraft): string {
  return failure.description === '' ? failure.reason : failure.description
}

/** From fields that are JSON already: an offset beyond 2^53 is exact only as its digits. */
function jsonObject(fields: Readonly<Record<string, string>>): string {
  const members = Object.entries(fields).map(([name, json]) => `${JSON.stringify(name)}:${json}`)
  return `{${members.join(',')}}`
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)
}
