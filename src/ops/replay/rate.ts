import type { Clock } from '../../core/ports.ts'

/** So many a second, evenly, with no more than a tenth of a second's worth at once: a pause is not made up for by a burst. */
export interface Rate {
  /** How many of so many may go now. */
  take(most: number): number
  /** Milliseconds until one may go. */
  wait(): number
}

export function steadyRate(perSecond: number, clock: Clock): Rate {
  const burst = Math.max(1, perSecond / 10)
  let saved = 1
  let countedAt = clock.monotonic()

  function count(): void {
    const now = clock.monotonic()
    saved = Math.min(burst, saved + ((now - countedAt) / 1000) * perSecond)
    countedAt = now
  }

  return {
    take(most) {
      count()
      const granted = Math.min(most, Math.floor(saved))
      saved -= granted
      return granted
    },
    wait() {
      count()
      return Math.max(0, Math.ceil(((1 - saved) / perSecond) * 1000))
    },
  }
}
