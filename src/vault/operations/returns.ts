import type { LetterState } from '../../core/letter-states.ts'
import type { LedgerState } from '../replay-rows.ts'
import type { Sql } from '../sql.ts'
import type { Tally } from '../tally.ts'
import { countMoved } from './ledger-counts.ts'

interface Return {
  readonly replay: number
  readonly letter: string
  readonly now: number
}

/** A letter of a replay has died once more: the ledger says so, and the one that was replayed makes way for its successor. */
export async function letterReturned(sql: Sql, tally: Tally, { replay, letter, now }: Return): Promise<void> {
  const row = await sql.get<{ id: number; source: number; cause: number; state: LetterState; seq: number; ledger: LedgerState }>(
    find,
    letter,
    replay,
  )
  if (!row) return
  await sql.run("UPDATE replay_letters SET state = 'returned', at = ? WHERE replay = ? AND seq = ?", now, replay, row.seq)
  await sql.run("UPDATE letters SET state = 'returned', state_since = ? WHERE id = ?", now, row.id)
  tally.moved(row, row.state, 'returned')
  await countMoved(sql, replay, row.ledger, 'returned', 1)
}

/** What succeeded by all reports and comes back nevertheless has not: a report may be of another consumer. */
const find = `
  SELECT letters.id, letters.source, letters.cause, letters.state, ledger.seq, ledger.state AS ledger
  FROM letters JOIN replay_letters AS ledger ON ledger.letter = letters.id
  WHERE letters.letter = ? AND ledger.replay = ? AND ledger.state IN ('claimed', 'sent', 'unknown', 'assumed', 'succeeded')
  ORDER BY letters.id DESC LIMIT 1`
