import { type MaintenanceWindow, windowSilences } from './maintenance-window.ts'
import type { RaisedAlert } from './raised-alert.ts'
import { type Silence, silences } from './silence.ts'

/** What people said about one alert. Times are the engine's own. */
export interface Marks {
  /** The episode that was acknowledged: the next one is news. */
  readonly episode: number
  /** Somebody is at it: it is not repeated, and still told when it is over. */
  readonly acknowledgedBy?: string
  readonly acknowledgedUntil?: number
  /** Nothing about it for a while. */
  readonly snoozedBy?: string
  readonly snoozedUntil?: number
}

export interface Quiet {
  readonly silences: readonly Silence[]
  readonly windows: readonly MaintenanceWindow[]
  readonly marks: ReadonlyMap<string, Marks>
}

/** Whether people asked for silence about it. What inhibits it is another matter. */
export function isSilenced(alert: RaisedAlert, { silences: all, windows, marks }: Quiet, now: number, wallNow: number): boolean {
  const { snoozedUntil = 0 } = marks.get(alert.fingerprint) ?? {}
  if (now < snoozedUntil) return true
  return all.some((silence) => silences(silence, alert, now)) || windows.some((window) => windowSilences(window, alert, wallNow))
}

export function isAcknowledged({ fingerprint, state }: RaisedAlert, { marks }: Quiet, now: number): boolean {
  const { episode, acknowledgedUntil = 0 } = marks.get(fingerprint) ?? {}
  return episode === state.episode && now < acknowledgedUntil
}
