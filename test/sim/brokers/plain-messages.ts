import type { Capabilities } from '../../../src/transports/capabilities.ts'

export const week: number = 7 * 24 * 3_600_000

/** What simulated brokers have in common: they carry anything, and can do nothing by themselves. */
export const barest: Omit<Capabilities, 'hold' | 'counts' | 'ordering'> = {
  retry: { by: 'copy', inPlace: false, maxDelay: week, headers: false },
  deadLetter: { native: false, carriesFailure: false },
  move: 'none',
  browse: 'none',
  remove: 'none',
  deduplication: 0,
  delayedSend: week,
  ttl: false,
  messages: {
    headers: 'typed',
    repeatedHeaders: true,
    tombstones: true,
    binary: true,
    maxBody: 1024 * 1024,
    maxHeaders: 64 * 1024,
  },
}
