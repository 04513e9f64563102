import { hash } from 'node:crypto'
import { names } from '../core/dialects/letter-headers.ts'
import { readLetter } from '../core/dialects/read-letter.ts'
import { secretOf } from '../core/dialects/secret-of.ts'
import { encodeEnvelope } from '../core/envelope.ts'
import { builtInReasons } from '../core/failure.ts'
import { causeOf } from '../core/fingerprint/fingerprint.ts'
import { countHeader, headerText, textHeader } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Message } from '../core/message.ts'
import { present } from '../core/present.ts'
import { sanitise } from '../core/sanitise.ts'
import type { Arrival, Identity } from '../vault/arrival.ts'
import { searchTextOf } from '../vault/letter-words.ts'

/** A dead letter in a source, received or only looked at. */
export interface Found {
  readonly message: Message
  /** The dead-letter channel. */
  readonly channel: string
  readonly position?: string
  /** Whether the broker has handed it out before. */
  readonly deliveredBefore: boolean
  readonly enqueuedAt?: number
  readonly broker: Arrival['broker']
}

/** Words of runtimes and brokers: they quote nothing, even where a body happens to hold the same word. */
const fixedReasons: ReadonlySet<string> = new Set([
  ...builtInReasons,
  ...['rejected', 'expired', 'maxlen', 'delivery_limit'],
  ...['TTLExpiredException', 'HeaderSizeExceeded', 'MaxTransferHopCountExceeded'],
])

/** Reads a letter and makes it fit to be kept: whatever it holds, it is a letter. `drawn` are eight bytes that nobody else has. */
export function arrivalOf(found: Found, now: number, drawn: Uint8Array): Arrival {
  const { message, channel } = found
  const { dialect, confidence, failure } = readLetter({ channel, message })
  // Only what died is secret: a dialect writes the failure into the letter, which would seem to be quoted by it.
  const secret = secretOf({ channel, message }, dialect)
  const cause = causeOf(failure, failure.source?.channel ?? channel, secret)
  const errorType = cause.parts.type
  const safely = (said: string | undefined): string | undefined =>
    said === undefined || fixedReasons.has(said) ? said : sanitise(said, errorType, secret)
  const reason = safely(failure.reason)
  const errorMessage = safely(failure.errorMessage ?? failure.reason)
  const envelope = encodeEnvelope(message)
  return {
    identity: identityOf(found, envelope, drawn),
    cause: { fingerprint: cause.fingerprint, title: cause.title, parts: cause.parts },
    broker: found.broker,
    channel: failure.source?.channel ?? channel,
    dialect,
    confidence,
    errorType,
    generation: countHeader(message.headers, redriveHeaders.generation) ?? 0,
    failedAt: Math.round(failure.failedAt ?? found.enqueuedAt ?? now),
    envelope,
    body: message.body,
    text: searchTextOf(message, [reason, errorType, errorMessage]),
    ...present({
      group: failure.group,
      originPosition: failure.source?.position,
      reason,
      errorMessage,
      messageId: message.id,
      type: message.type,
      key: keyOf(message),
      correlationId: message.correlationId ?? textHeader(message.headers, names.correlationId),
      service: failure.handler,
      version: textHeader(message.headers, names.version),
      letter: textHeader(message.headers, redriveHeaders.letter),
      replay: countHeader(message.headers, redriveHeaders.replay),
      attempts: failure.attempts ?? failure.deliveries,
      position: found.position,
    }),
  }
}

/**
 * A letter that our runtime wrote is the same wherever it is found, and however often a crash made us write it; two groups that share a
 * dead-letter channel each have their own of one message. A foreign one is known by
 * where it lies, since when, and what it holds: a channel that was deleted and made anew counts its places from the start. Where a broker has
 * no such thing, by what it holds, and then only together with a second delivery.
 */
function identityOf({ message, position, enqueuedAt, deliveredBefore }: Found, envelope: string, drawn: Uint8Array): Identity {
  const letter = textHeader(message.headers, redriveHeaders.letter)
  const generation = textHeader(message.headers, redriveHeaders.generation) ?? '0'
  if (letter !== undefined && textHeader(message.headers, names.reason) !== undefined) {
    return {
      kind: 'known',
      bytes: digest(['letter', letter, generation, textHeader(message.headers, names.originGroup) ?? ''], message.body),
    }
  }
  if (position !== undefined) return { kind: 'known', bytes: digest(['position', position, String(enqueuedAt)], message.body) }
  return { kind: 'alike', bytes: digest(['alike', envelope], message.body), deliveredBefore, drawn }
}

function digest(parts: readonly string[], body: Uint8Array | null): Uint8Array {
  const own = body === null ? '-' : hash('sha256', body)
  return hash('sha256', JSON.stringify([...parts, own]), 'buffer').subarray(0, 16)
}

function keyOf({ key }: Message): string | undefined {
  return key === undefined ? undefined : headerText(key)
}
