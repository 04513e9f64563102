import { type Allowance, allowance, type LedgerCounts } from '../../core/canary.ts'
import { type ReplayState, replayOf } from '../replay-rows.ts'
import type { Operation } from '../sql.ts'
import { type ClaimedLetter, type Claiming, claimLetters } from './claims.ts'
import { countLedger } from './ledger-counts.ts'
import { type Recording, recordSends } from './outcomes.ts'
import { findReplay } from './replay-state.ts'
import { releasePlanned } from './take-and-release.ts'

export interface Advance {
  readonly state: ReplayState
  /** What the plan allowed before the claim. */
  readonly allowed: Allowance
  readonly claimed: readonly ClaimedLetter[]
  readonly counts: LedgerCounts
}

/**
 * One turn of a replay: writes down what became of the letters that were sent, asks the canary, and takes the next ones. All of it is one
 * transaction, because each of them costs a write to the disk, and two would cost twice as much for the same hundred letters.
 */
export const advanceReplay: Operation<Recording & Claiming, Advance> = async (sql, turn) => {
  const { replay } = turn
  await recordSends(sql, turn)
  const row = await findReplay(sql, replay)
  const { state, plan, countsAtResume } = replayOf(row)
  // It was cancelled while these were on their way, and nobody was there to take them.
  if (state === 'cancelled') await releasePlanned(sql, replay, row.taken, turn.now)
  const before = await countLedger(sql, { replay })
  const allowed = allowance(before, plan.canary ?? undefined, countsAtResume)
  if (state !== 'running' || allowed.kind !== 'send' || turn.most === 0) return { state, allowed, claimed: [], counts: before }
  const claimed = await claimLetters(sql, { ...turn, most: Math.min(turn.most, allowed.more) })
  return { state, allowed, claimed, counts: await countLedger(sql, { replay }) }
}
