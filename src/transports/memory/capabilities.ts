import type { Capabilities } from '../capabilities.ts'

/** What can be chosen about the broker that stands behind a memory transport. */
export interface MemoryLimits {
  /** For how long a `dedupId` is remembered. Milliseconds. */
  readonly deduplication: number
  /** Bytes of one body. */
  readonly maxBody: number
  /** Bytes of all headers of one message together. */
  readonly maxHeaders: number
}

/** Large enough for every test, small enough that a test of the limit is cheap. */
export const defaultLimits: MemoryLimits = { deduplication: 600_000, maxBody: 16 * 1024 * 1024, maxHeaders: 1024 * 1024 }

/** Everything that the seam knows, so that the runtime's best path is the one that tests run on. */
export function memoryCapabilities(limits: MemoryLimits): Capabilities {
  return {
    hold: 'lock',
    counts: 'turns',
    retry: { by: 'native', inPlace: true, maxDelay: Number.POSITIVE_INFINITY, headers: true },
    deadLetter: { native: true, carriesFailure: true },
    move: 'atomic',
    browse: 'cursor',
    remove: 'by-position',
    ordering: 'lane',
    deduplication: limits.deduplication,
    delayedSend: Number.POSITIVE_INFINITY,
    ttl: true,
    messages: {
      headers: 'typed',
      repeatedHeaders: true,
      tombstones: true,
      binary: true,
      maxBody: limits.maxBody,
      maxHeaders: limits.maxHeaders,
    },
  }
}
