import type { Capabilities } from '../capabilities.ts'

const kibibyte = 1024
const hour = 3_600_000
const week = 7 * 24 * hour

/** The standard tier takes 256 KiB in all, of which headers may be 64. */
export const defaultMaxBody: number = 192 * kibibyte

/** While a message waits in its place, its session waits in the hands of a consumer. */
export function longestDelayInPlace(sessions: boolean): number {
  return sessions ? hour : 0
}

export interface Kind {
  /** Whether the queues and subscriptions require sessions, which are what Service Bus keeps in order. */
  readonly sessions: boolean
  /**
   * How a retry is done: by a scheduled copy, which can wait, or by abandoning, which keeps its place and comes back at once. In sessions
   * it is the second, as a copy would stand behind its siblings; whoever has the session waits before giving it out again.
   */
  readonly retry: 'copy' | 'abandon'
  readonly maxBody: number
}

export function servicebusCapabilities({ sessions, retry, maxBody }: Kind): Capabilities {
  return {
    hold: 'lock',
    counts: 'deliveries',
    retry:
      retry === 'copy'
        ? { by: 'copy', inPlace: false, maxDelay: week, headers: false }
        : { by: 'native', inPlace: true, maxDelay: longestDelayInPlace(sessions), headers: true },
    deadLetter: { native: true, carriesFailure: true },
    move: 'none',
    browse: 'cursor',
    remove: 'none',
    ordering: sessions ? 'lane' : 'none',
    // Where an entity has duplicate detection it drops a duplicate without a word: nobody could tell it from a message that was written.
    deduplication: 0,
    delayedSend: week,
    ttl: true,
    messages: {
      headers: 'typed',
      repeatedHeaders: false,
      tombstones: false,
      binary: true,
      maxBody,
      maxHeaders: 32 * kibibyte,
    },
  }
}
