import type { KeptEntry } from './journal.ts'
import type { Entry } from './message-store.ts'
import { encodeMessage, parseMessage } from './sections.ts'

/** An entry as the journal keeps it. */
export function keptOf(entry: Entry): KeptEntry {
  const { sequence, message, enqueuedAt, expiresAt, deliveryCount, state, deferred, deadLetterSource } = entry
  return {
    sequence,
    bytes: encodeMessage(message, { deliveryCount: 0, annotations: {} }).toString('base64'),
    enqueuedAt,
    expiresAt: Number.isFinite(expiresAt) ? expiresAt : null,
    deliveryCount,
    state,
    deferred,
    ...(deadLetterSource !== undefined && { deadLetterSource }),
  }
}

/** The same, as it stands in its store; nobody has a lock on it. */
export function entryOf({ bytes, expiresAt, deadLetterSource, ...kept }: KeptEntry): Entry {
  return {
    ...kept,
    message: parseMessage(Buffer.from(bytes, 'base64')),
    expiresAt: expiresAt ?? Number.POSITIVE_INFINITY,
    lock: undefined,
    deadLetterSource,
  }
}
