import type { Backoff } from './policy.ts'

/**
 * Whole milliseconds to wait before a retry, the first one being 1. The limit is applied before the jitter, so that messages
 * which all wait the longest delay are still spread out; jitter only ever lengthens. `random` is a number in [0, 1).
 */
export function delayFor(backoff: Backoff, retry: number, random: number): number {
  const delay = Math.round(Math.min(growth(backoff, Math.max(1, retry)), backoff.max, Number.MAX_SAFE_INTEGER))
  return Math.floor(delay * (1 + backoff.jitter * random))
}

function growth({ kind, first, factor }: Backoff, retry: number): number {
  // Nothing grows out of nothing, and 0 times an overflowed Infinity would be NaN.
  if (first === 0) return 0
  switch (kind) {
    case 'fixed':
      return first
    case 'linear':
      return first * retry
    case 'exponential':
      return first * factor ** (retry - 1)
  }
}
