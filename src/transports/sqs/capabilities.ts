import type { Capabilities } from '../capabilities.ts'

export const queueKinds = ['standard', 'fifo'] as const
/** Standard queues keep no order and can delay a send; FIFO queues keep the order of a message group and can delay none. */
export type QueueKind = (typeof queueKinds)[number]

const kibibyte = 1024
const minute = 60_000
const hour = 60 * minute

/** What a queue takes that was made before Amazon raised the limit to a mebibyte; a message with all that is written about it. */
export const defaultMaxMessage: number = 256 * kibibyte
export const longestSendDelay: number = 15 * minute
/** Amazon ends every hold twelve hours after the delivery; one of them is left to the handler. */
export const longestRetryDelay: number = 11 * hour
/** Kept free for headers, which may double in size where they are packed, and for what Amazon counts beside values. */
const reserved = 64 * kibibyte

export function sqsCapabilities(queues: QueueKind, maxMessage: number): Capabilities {
  return {
    ...(queues === 'standard' ? standard : fifo),
    hold: 'lock',
    // The redrive policy acts on the receive count alone: nobody can reject a message.
    deadLetter: { native: false, carriesFailure: false },
    move: 'none',
    // Whoever looks takes, which hides the message from consumers and counts; the redrive policy moves what was looked at too often.
    browse: 'none',
    remove: 'none',
    ttl: false,
    messages: {
      headers: 'typed',
      repeatedHeaders: true,
      tombstones: true,
      binary: true,
      maxBody: maxMessage - reserved,
      maxHeaders: reserved / 2,
    },
  }
}

type OfKind = Pick<Capabilities, 'counts' | 'retry' | 'ordering' | 'deduplication' | 'delayedSend'>

/** The receive count blames the neighbours of a crash: so a suspect is recorded by a copy, and a retry is one. */
const standard: OfKind = {
  counts: 'copies',
  retry: { by: 'copy', inPlace: false, maxDelay: longestSendDelay, headers: false },
  ordering: 'none',
  deduplication: 0,
  delayedSend: longestSendDelay,
}

/** A copy would stand behind its siblings: so a message stays where it is, hidden, and the receive count is what there is. */
const fifo: OfKind = {
  counts: 'deliveries',
  retry: { by: 'native', inPlace: true, maxDelay: longestRetryDelay, headers: false },
  ordering: 'lane',
  deduplication: 5 * minute,
  delayedSend: 0,
}
