import type { Capabilities } from '../capabilities.ts'

const mebibyte = 1024 * 1024

export const defaultMaxBody: number = 16 * mebibyte

export function redisCapabilities(maxBody: number): Capabilities {
  return {
    hold: 'lock',
    counts: 'turns',
    retry: { by: 'native', inPlace: true, maxDelay: Number.POSITIVE_INFINITY, headers: true },
    // The server moves nothing by itself; `move` is one script, which is as safe and carries the whole failure.
    deadLetter: { native: false, carriesFailure: false },
    move: 'atomic',
    browse: 'cursor',
    remove: 'by-position',
    ordering: 'none',
    deduplication: 0,
    delayedSend: Number.POSITIVE_INFINITY,
    ttl: false,
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
