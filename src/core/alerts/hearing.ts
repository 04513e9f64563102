import type { RaisedAlert } from './raised-alert.ts'
import type { Sink } from './sink.ts'

/** What a group says at one turn, as far as it matters for who hears it. */
export interface Spoken {
  /** All that it tells of. */
  readonly told: readonly RaisedAlert[]
  /** Those that are believed to fire from now on, told at this turn or earlier. */
  readonly up: readonly RaisedAlert[]
}

/** `end`: for this sink nothing fires any more, although for others something does. */
export type Share = 'all' | 'end' | 'nothing'

/**
 * What one sink hears of it. A route may take only a part of a group: who was told that it fires hears that it is over when the last of that part
 * is, and at the latest with the end of the group. Receivers that keep what fires would take the next one for news of the old otherwise.
 */
export function shareOf({ takes }: Sink, { told, up }: Spoken, wasHeard: boolean): Share {
  const isTold = told.some((alert) => takes(alert))
  if (up.length === 0) return isTold || wasHeard ? 'all' : 'nothing'
  if (!isTold) return 'nothing'
  return up.some((alert) => takes(alert)) ? 'all' : 'end'
}

/** Whether the sink believes afterwards that the group fires. */
export function hearsOn(share: Share, { up }: Spoken, wasHeard: boolean): boolean {
  return share === 'nothing' ? wasHeard && up.length > 0 : share === 'all' && up.length > 0
}
