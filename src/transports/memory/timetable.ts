import type { Cancel, Clock } from '../../core/ports.ts'

/** One timer for everything that a channel waits for: it rings at the earliest moment that anybody named. */
export interface Timetable {
  /** Makes it ring at `at` on the monotonic clock, or before. */
  ringBy(at: number): void
}

/** `ring` does what is due and tells when it wants to be called next; `Infinity` for never. */
export function timetable(clock: Clock, ring: (now: number) => number): Timetable {
  let ringsAt = Number.POSITIVE_INFINITY
  let cancel: Cancel | undefined

  function ringBy(at: number): void {
    if (at >= ringsAt) return
    cancel?.()
    ringsAt = at
    cancel = clock.after(Math.max(0, at - clock.monotonic()), onTimer, { background: true })
  }

  function onTimer(): void {
    ringsAt = Number.POSITIVE_INFINITY
    ringBy(ring(clock.monotonic()))
  }

  return { ringBy }
}
