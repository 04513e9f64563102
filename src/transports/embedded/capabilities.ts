import type { Capabilities } from '../capabilities.ts'

/** One day: longer than any crash loop or replay needs to send the same thing twice. */
export const dedupWindow: number = 24 * 60 * 60 * 1000

const mebibyte = 1024 * 1024

export const defaultMaxBody: number = 16 * mebibyte

export function embeddedCapabilities(maxBody: number): Capabilities {
  return {
    hold: 'lock',
    counts: 'turns',
    retry: { by: 'native', inPlace: true, maxDelay: Number.POSITIVE_INFINITY, headers: true },
    deadLetter: { native: true, carriesFailure: true },
    move: 'atomic',
    browse: 'cursor',
    remove: 'by-position',
    ordering: 'lane',
    deduplication: dedupWindow,
    delayedSend: Number.POSITIVE_INFINITY,
    ttl: true,
    messages: {
      headers: 'typed',
      repeatedHeaders: true,
      tombstones: true,
      binary: true,
      maxBody,
      maxHeaders: mebibyte,
    },
  }
}
