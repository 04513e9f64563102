import type { Capabilities } from '../capabilities.ts'
import type { Settings } from './options.ts'

/** The levels of delay reach further; a week is what we promise. */
export const longestDelay: number = 7 * 24 * 3_600_000

/** The client library encodes all headers into 64 KiB; the rest is for its framing and for what we carry along ourselves. */
const maxHeaders = 60 * 1024

export function rabbitmqCapabilities({ queueType, maxBody }: Pick<Settings, 'queueType' | 'maxBody'>): Capabilities {
  return {
    hold: 'connection',
    // A quorum queue keeps a number for each message; a classic queue only says "redelivered".
    counts: queueType === 'quorum' ? 'deliveries' : 'copies',
    retry: { by: 'copy', inPlace: false, maxDelay: longestDelay, headers: false },
    deadLetter: { native: true, carriesFailure: false },
    move: 'none',
    // Looking at a quorum queue raises its delivery counts, and its delivery limit then destroys what was only looked at.
    browse: queueType === 'quorum' ? 'none' : 'disturbing',
    remove: 'none',
    ordering: 'none',
    deduplication: 0,
    delayedSend: longestDelay,
    ttl: true,
    messages: {
      headers: 'typed',
      repeatedHeaders: false,
      tombstones: false,
      binary: true,
      maxBody,
      maxHeaders,
    },
  }
}
