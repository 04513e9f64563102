import type { Cancel, Clock } from '../../core/ports.ts'

/**
 * Waits for answers, for each of them equally long. They fall due in the order in which they were asked for, so that one timer for all
 * of them is enough: one for every message costs more than to settle it.
 */
export interface Patience {
  /** Calls it when the time is up, unless it has ended before. */
  begin(late: () => void): void
  /** Tells whether it was still waiting. */
  end(late: () => void): boolean
}

export function createPatience(clock: Pick<Clock, 'monotonic' | 'after'>, ms: number): Patience {
  /** By when each is to be answered, the first ones first. */
  const waiting = new Map<() => void, number>()
  let cancel: Cancel | undefined

  function look(): void {
    cancel = undefined
    const now = clock.monotonic()
    for (const [late, due] of waiting) {
      if (due > now) {
        cancel = clock.after(Math.max(1, due - now), look)
        return
      }
      waiting.delete(late)
      late()
    }
  }

  return {
    begin(late) {
      waiting.set(late, clock.monotonic() + ms)
      cancel ??= clock.after(ms, look)
    },
    end(late) {
      const wasWaiting = waiting.delete(late)
      if (waiting.size > 0) return wasWaiting
      cancel?.()
      cancel = undefined
      return wasWaiting
    },
  }
}
