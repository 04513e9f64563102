import type { Moment } from '../../core/alerts/alert-book.ts'
import { resumedTime, type SavedTime } from '../../core/alerts/restart.ts'
import type { Clock } from '../../core/ports.ts'

/** The engine's own time: it goes on over restarts and never back, whatever happens to the wall clock. */
export interface Timeline {
  moment(): Moment
  /** How long nobody watched before this process did. */
  readonly outage: number
}

/** On a vault that never had an engine, it begins with what the wall clock says. */
export function createTimeline(clock: Clock, saved: SavedTime | undefined): Timeline {
  const { at, outage } = saved ? resumedTime(saved, clock.now()) : { at: clock.now(), outage: 0 }
  const begun = clock.monotonic()
  return {
    moment: () => ({ now: Math.floor(at + clock.monotonic() - begun), wallNow: clock.now() }),
    outage,
  }
}

/** What the engine's time is now, for who does not run it. */
export function engineTime(saved: SavedTime | undefined, wallNow: number): number {
  return saved ? resumedTime(saved, wallNow).at : wallNow
}
