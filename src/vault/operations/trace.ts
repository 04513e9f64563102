import type { LedgerState } from '../replay-rows.ts'
import type { Operation } from '../sql.ts'
import { type Letter, letterColumns } from './letters.ts'
import type { Note } from './notes.ts'

export interface Trace {
  readonly letters: readonly Letter[]
  readonly replays: readonly {
    readonly letter: number
    readonly replay: number
    readonly outcome: LedgerState
    readonly at: number
  }[]
  readonly notes: readonly (Note & { readonly letter: number })[]
}

/** Everything that is known under one correlation id, across channels, connections and generations. */
export const traceCorrelation: Operation<{ readonly correlationId: string; readonly limit: number }, Trace> = async (
  sql,
  { correlationId, limit },
) => ({
  letters: await sql.all<Letter>(
    `SELECT ${letterColumns} FROM letters WHERE correlation_id = ? ORDER BY id LIMIT ?`,
    correlationId,
    limit,
  ),
  replays: await sql.all(
    `SELECT ledger.letter, ledger.replay, ledger.state AS outcome, coalesce(ledger.sent_at, ledger.at) AS at
     FROM letters JOIN replay_letters AS ledger ON ledger.letter = letters.id
     WHERE letters.correlation_id = ? ORDER BY ledger.at LIMIT ?`,
    correlationId,
    limit,
  ),
  notes: await sql.all(
    `SELECT notes.subject AS letter, notes.made_at AS "madeAt", notes.actor, notes.text
     FROM letters JOIN notes ON notes.about = 'letter' AND notes.subject = letters.id
     WHERE letters.correlation_id = ? ORDER BY notes.id LIMIT ?`,
    correlationId,
    limit,
  ),
})
