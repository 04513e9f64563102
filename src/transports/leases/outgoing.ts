import { nativeLetter } from '../../core/dialects/native-letter.ts'
import { encodeEnvelope } from '../../core/envelope.ts'
import { RedriveError } from '../../core/errors.ts'
import { headersSize, withHeaders } from '../../core/headers.ts'
import type { Message } from '../../core/message.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Settlement } from '../seam.ts'
import type { Held } from './holdings.ts'
import { nameOf } from './name-of.ts'
import type { Content, SettleJob } from './protocol.ts'

/** The message as it will be stored, or a reason why it cannot be: then nothing was written. */
export function contentOf(message: Message, limits: Capabilities['messages']): Content {
  const { body } = message
  const content = contentBesideBody(message, limits)
  return { ...content, body: body && ownBytes(body) }
}

/** The same where the body is already in the store. */
function contentBesideBody(message: Message, limits: Capabilities['messages']): Content {
  const { body } = message
  if (body !== null && !(body instanceof Uint8Array)) throw new RedriveError('bad-message', 'A body is bytes or null.')
  if (body !== null && body.byteLength > limits.maxBody) {
    throw new RedriveError('too-large', `A body of ${body.byteLength} bytes is above the limit of ${limits.maxBody}.`)
  }
  const envelope = checkedEnvelope(message)
  // Measuring is only worth its time where the limit is near: no text has more than three bytes for a character.
  const size = envelope.length * 3 > limits.maxHeaders ? headersSize(message.headers) : 0
  if (size > limits.maxHeaders) {
    throw new RedriveError('too-large', `Headers of ${size} bytes are above the limit of ${limits.maxHeaders}.`)
  }
  return { envelope, body: undefined, key: message.key instanceof Uint8Array ? ownBytes(message.key) : message.key }
}

function checkedEnvelope(message: Message): string {
  try {
    return encodeEnvelope(message)
  } catch (cause) {
    throw new RedriveError('bad-message', 'A header holds something that cannot be stored.', { cause })
  }
}

/** Every settlement but `complete`, which has a shorter way. */
export function jobFor(
  held: Held,
  message: Message,
  settlement: Exclude<Settlement, { kind: 'complete' }>,
  limits: Capabilities['messages'],
): SettleJob {
  const { hold, suspect, counted } = held
  switch (settlement.kind) {
    case 'release':
      return { kind: 'release', hold, suspect, counted, unseen: false }
    case 'retry': {
      const { delay, headers } = settlement
      if (headers === undefined || headers.length === 0) return { kind: 'retry', hold, counted, delay }
      const changed = { ...message, headers: withHeaders(message.headers, headers) }
      return { kind: 'retry', hold, counted, delay, envelope: contentBesideBody(changed, limits).envelope }
    }
    case 'reject': {
      const origin = { channel: nameOf(held.address), position: held.position }
      const letter = nativeLetter(message, settlement.failure, origin)
      return { kind: 'reject', hold, content: contentBesideBody(letter, limits) }
    }
    case 'move': {
      // The body is already in the store, and mostly it is the same: then it need not travel.
      const contentIn = settlement.message.body === message.body ? contentBesideBody : contentOf
      const content = contentIn(settlement.message, limits)
      return { kind: 'move', hold, to: nameOf(settlement.to), content, delay: settlement.delay ?? 0 }
    }
  }
}

/** Bytes that nobody else changes, and no more of them than needed: a small view of a large buffer would be cloned whole. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}
