import type { Clock } from '../../core/ports.ts'

/** So many a second, evenly, with no more than a tenth of a second's worth at once: a pause is not made up for by a burst. */
export interface Rate {
  /** How many may go now; where none may, in how many milliseconds one may. */
  take(most: number): { readonly granted: number; readonly wait: number }
}

export function steadyRate(perSecond: number, clock: Clock): Rate {
  const burst = Math.max(1, perSecond / 10)
  let saved = 1
  let countedAt = clock.monotonic()

  return {
    take(most) {
      const now = clock.monotonic()
      saved = Math.min(burst, saved + ((now - countedAt) / 1000) * perSecond)
      countedAt = now
      const granted = Math.min(most, Math.floor(saved))
      saved -= granted
      return { granted, wait: granted > 0 ? 0 : Math.ceil(((1 - saved) / perSecond) * 1000) }
    },
  }
}
