import type { Destination, LedgerState } from '../replay-rows.ts'
import type { Operation, Sql } from '../sql.ts'
import { createTally, type Tally } from '../tally.ts'
import { countMoved } from './ledger-counts.ts'
import { letterInReplay } from './ledger-line.ts'
import { changeState } from './letter-changes.ts'

export interface SendOutcome {
  readonly seq: number
  readonly letter: number
  /**
   * `refused`: it certainly was not written and would not be the next time, so the letter is open again. `unsent`: nobody was there to take it, so it
   * keeps its place in the plan. `unknown`: a person has to look.
   */
  readonly outcome: 'sent' | 'refused' | 'unsent' | 'unknown'
  readonly problem?: string
  /** The broker's own copy was taken away. */
  readonly removed?: boolean
}

const ledgerAfter = { sent: 'sent', refused: 'refused', unsent: 'planned', unknown: 'unknown' } as const
const letterAfter = { sent: 'sent', refused: 'open', unsent: 'replaying', unknown: 'unknown' } as const

export const recordSends: Operation<
  { readonly replay: number; readonly now: number; readonly outcomes: readonly SendOutcome[] },
  undefined
> = async (sql, { replay, now, outcomes }) => {
  const tally = createTally()
  const moved = new Map<LedgerState, number>()
  for (const { seq, letter, outcome, problem, removed } of outcomes) {
    if (removed) await sql.run("UPDATE letters SET broker = 'gone' WHERE id = ?", letter)
    const state = ledgerAfter[outcome]
    const changed = await sql.run(recordSend, state, now, outcome === 'sent' ? now : null, problem ?? null, replay, seq)
    // It may have come back before we could note that it was sent.
    if (changed === 0) continue
    await changeState(sql, tally, [letter], { from: 'replaying', to: letterAfter[outcome], now })
    moved.set(state, (moved.get(state) ?? 0) + 1)
    if (outcome === 'refused' || outcome === 'unknown') await leaveBehind(sql, tally, { replay, seq, letter, now })
  }
  for (const [state, lines] of moved) await countMoved(sql, replay, 'claimed', state, lines)
  await tally.write(sql)
  return undefined
}

interface Stuck {
  readonly replay: number
  readonly seq: number
  readonly letter: number
  readonly now: number
}

/** Letters of one key go in order: those behind one that did not arrive would overtake it, and are open again. */
async function leaveBehind(sql: Sql, tally: Tally, { replay, seq, letter, now }: Stuck): Promise<void> {
  const rows = await sql.all<{ letter: number }>(
    `UPDATE replay_letters SET state = 'refused', at = ?, problem = 'behind-unsent'
     WHERE replay = ? AND state = 'planned' AND seq > ?
       AND destination = (SELECT destination FROM replay_letters WHERE replay = ? AND seq = ?)
       AND letter IN (SELECT id FROM letters WHERE key = (SELECT key FROM letters WHERE id = ?))
     RETURNING letter`,
    now,
    replay,
    seq,
    replay,
    seq,
    letter,
  )
  const letters = rows.map((row) => row.letter)
  await changeState(sql, tally, letters, { from: 'replaying', to: 'open', now })
  await countMoved(sql, replay, 'planned', 'refused', letters.length)
}

const recordSend = `
  UPDATE replay_letters SET state = ?, at = ?, sent_at = ?, problem = ? WHERE replay = ? AND seq = ? AND state = 'claimed'`

/** What a consumer reports about a letter that was replayed to it. A failure is no news: the letter itself comes back. */
export const recordSuccesses: Operation<
  { readonly now: number; readonly successes: readonly { readonly replay: number; readonly letter: string }[] },
  undefined
> = async (sql, { now, successes }) => {
  const tally = createTally()
  for (const { replay, letter } of successes) {
    const row = await letterInReplay(sql, { replay, letter }, maySucceed)
    if (!row) continue
    await sql.run("UPDATE replay_letters SET state = 'succeeded', at = ? WHERE replay = ? AND seq = ?", now, replay, row.seq)
    await changeState(sql, tally, [row.id], { from: row.state, to: 'succeeded', now })
    await countMoved(sql, replay, row.ledger, 'succeeded', 1)
  }
  await tally.write(sql)
  return undefined
}

const maySucceed = ['claimed', 'sent', 'unknown', 'assumed'] as const

/** Where letters went of which no outcome is known yet. */
export const awaitedDestinations: Operation<{ readonly replay: number }, readonly Destination[]> = async (sql, { replay }) => {
  const rows = await sql.all<{ destination: string }>(
    "SELECT DISTINCT destination FROM replay_letters WHERE replay = ? AND state = 'sent'",
    replay,
  )
  return rows.map(({ destination }) => JSON.parse(destination) as Destination)
}

export interface Assumption {
  readonly replay: number
  readonly destination: Destination
  readonly sentBefore: number
  readonly now: number
}

/** What was sent long enough ago and has not come back is taken to have succeeded, and is called so. */
export const assumeSuccess: Operation<Assumption, { readonly assumed: number }> = async (
  sql,
  { replay, destination, sentBefore, now },
) => {
  const rows = await sql.all<{ letter: number }>(
    `UPDATE replay_letters SET state = 'assumed', at = ?
     WHERE replay = ? AND state = 'sent' AND sent_at <= ? AND destination = ? RETURNING letter`,
    now,
    replay,
    sentBefore,
    JSON.stringify(destination),
  )
  const tally = createTally()
  const letters = rows.map(({ letter }) => letter)
  await changeState(sql, tally, letters, { from: 'sent', to: 'assumed', now })
  await tally.write(sql)
  await countMoved(sql, replay, 'sent', 'assumed', rows.length)
  return { assumed: rows.length }
}
