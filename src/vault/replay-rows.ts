import type { Canary, LedgerCounts } from '../core/canary.ts'
import type { Route } from '../core/route.ts'

/**
 * - `sealing`: being made; one that nobody finishes is cancelled.
 * - `sealed`: made and shown, and nothing of it has happened.
 * - `scheduled`: sealed, and to be started at a time; nothing of it has happened.
 * - `missed`: nobody was there at that time, nor soon after: it waits for a person, as a sealed one does.
 * - `starting`: its letters are being taken; it sends when it has all of them.
 * - `running`, `paused`: as told by a person.
 * - `stopped`: by itself, because letters came back; a person may resume it.
 * - `cancelling`: nothing more is sent, and its letters are being released.
 * - `done`, `cancelled`: for good.
 */
export const replayStates = [
  'sealing',
  'sealed',
  'scheduled',
  'missed',
  'starting',
  'running',
  'paused',
  'stopped',
  'cancelling',
  'done',
  'cancelled',
] as const

export type ReplayState = (typeof replayStates)[number]

/** What a replay does, as it was previewed. It never changes after it was sealed. */
export interface ReplayPlan {
  /** Letters a second in all. */
  readonly rate: number
  readonly canary: Canary | null
  /** Milliseconds after which a letter that has not come back is taken to have succeeded. */
  readonly observe: number
}

export interface PlannedLetter {
  readonly letter: number
  readonly destination: Destination
  /** The edit that is sent instead of the letter itself. */
  readonly edit?: number
}

export interface Destination {
  readonly connection: string
  readonly channel: string
  readonly group?: string
  /** The way by which it is sent, and others may get it too; `channel` is still whose failure it was, and who says what became of it. */
  readonly via?: Route
}

export interface Replay {
  readonly id: number
  readonly name: string
  readonly actor: string
  readonly madeAt: number
  readonly state: ReplayState
  readonly stateSince: number
  readonly stoppedBecause: string | null
  /** What the ledger counted when a person let it go on: what was before that has been judged. */
  readonly countsAtResume: LedgerCounts | null
  readonly seal: string
  readonly plan: ReplayPlan
  readonly letters: number
  /** When it is to be started, or was; nothing where nobody gave it a time. */
  readonly startsAt: number | null
  readonly scheduledBy: string | null
}

export interface ReplayRow {
  readonly id: number
  readonly name: string
  readonly actor: string
  readonly made_at: number
  readonly state: ReplayState
  readonly state_since: number
  readonly stopped_because: string | null
  readonly counts_at_resume: string | null
  readonly seal: string
  readonly plan: string
  readonly letters: number
  /** How many lines of the plan, from the first one on, have had their letters taken. */
  readonly taken: number
  readonly starts_at: number | null
  readonly scheduled_by: string | null
}

export function replayOf(row: ReplayRow): Replay {
  const {
    made_at: madeAt,
    state_since: stateSince,
    stopped_because: stoppedBecause,
    counts_at_resume: resumed,
    plan,
    taken: _,
    starts_at: startsAt,
    scheduled_by: scheduledBy,
    ...rest
  } = row
  const countsAtResume = resumed === null ? null : (JSON.parse(resumed) as LedgerCounts)
  return {
    ...rest,
    madeAt,
    stateSince,
    stoppedBecause,
    countsAtResume,
    plan: JSON.parse(plan) as ReplayPlan,
    startsAt,
    scheduledBy,
  }
}
