import type { Capabilities } from '../capabilities.ts'

/** A record waits in a retry topic, whose retention is twice this. */
export const longestDelay: number = 7 * 24 * 3_600_000

/** The default limit of a topic is one mebibyte for a whole batch, framing and headers included. */
export const defaultMaxBody: number = 900 * 1024
const maxHeaders = 64 * 1024

export function kafkaCapabilities(maxBody: number): Capabilities {
  return {
    hold: 'offset',
    counts: 'turns',
    // A copy blocks nobody. Where order is kept, the record keeps its place and only its own key waits for it.
    retry: { by: 'copy', inPlace: true, maxDelay: longestDelay, headers: false },
    deadLetter: { native: false, carriesFailure: false },
    move: 'none',
    browse: 'cursor',
    remove: 'none',
    ordering: 'lane',
    deduplication: 0,
    delayedSend: longestDelay,
    ttl: false,
    messages: { headers: 'bytes', repeatedHeaders: true, tombstones: true, binary: true, maxBody, maxHeaders },
  }
}
