import type { LedgerState } from '../../core/canary.ts'
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
) => {
  const { text: isCorrelated, values } = sql.dialect.isText('letters.correlation_id', correlationId)
  return {
    letters: await sql.all<Letter>(
      `SELECT ${letterColumns} FROM letters WHERE ${isCorrelated} ORDER BY id LIMIT ?`,
      ...values,
      limit,
    ),
    replays: await sql.all(
      `SELECT ledger.letter, ledger.replay, ledger.state AS outcome, coalesce(ledger.sent_at, ledger.at) AS at
       FROM letters JOIN replay_letters AS ledger ON ledger.letter = letters.id
       WHERE ${isCorrelated} ORDER BY ledger.at LIMIT ?`,
      ...values,
      limit,
    ),
    notes: await sql.all(
      `SELECT notes.subject AS letter, notes.made_at AS "madeAt", notes.actor, notes.text
       FROM letters JOIN notes ON notes.about = 'letter' AND notes.subject = letters.id
       WHERE ${isCorrelated} ORDER BY notes.id LIMIT ?`,
      ...values,
      limit,
    ),
  }
}
