import type { Canary, LedgerCounts } from '../core/canary.ts'

/**
 * - `sealed`: made and shown, and nothing of it has happened.
 * - `running`, `paused`: as told by a person.
 * - `stopped`: by itself, because letters came back; a person may resume it.
 * - `done`, `cancelled`: for good.
 */
export const replayStates = ['sealed', 'running', 'paused', 'stopped', 'done', 'cancelled'] as const

export type ReplayState = (typeof replayStates)[number]

export type LedgerState = keyof LedgerCounts

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
}

export function replayOf(row: ReplayRow): Replay {
  const {
    made_at: madeAt,
    state_since: stateSince,
    stopped_because: stoppedBecause,
    counts_at_resume: resumed,
    plan,
    ...rest
  } = row
  const countsAtResume = resumed === null ? null : (JSON.parse(resumed) as LedgerCounts)
  return { ...rest, madeAt, stateSince, stoppedBecause, countsAtResume, plan: JSON.parse(plan) as ReplayPlan }
}
