import type { LedgerCounts } from '../../core/canary.ts'
import type { LedgerState } from '../replay-rows.ts'
import type { Operation, Sql } from '../sql.ts'

/** Counts of a ledger are kept: a running replay asks for them all the time, and may have a hundred thousand lines. */
export async function countMoved(
  sql: Sql,
  replay: number,
  from: LedgerState | undefined,
  to: LedgerState,
  lines: number,
): Promise<void> {
  if (lines === 0 || from === to) return
  if (from !== undefined) await sql.run(add, replay, from, -lines)
  await sql.run(add, replay, to, lines)
}

const add = `
  INSERT INTO replay_counts (replay, state, letters) VALUES (?, ?, ?)
  ON CONFLICT (replay, state) DO UPDATE SET letters = replay_counts.letters + excluded.letters`

const none: LedgerCounts = {
  planned: 0,
  claimed: 0,
  sent: 0,
  succeeded: 0,
  assumed: 0,
  returned: 0,
  unknown: 0,
  refused: 0,
  cancelled: 0,
  skipped: 0,
}

export const countLedger: Operation<{ readonly replay: number }, LedgerCounts> = async (sql, { replay }) => {
  const rows = await sql.all<{ state: LedgerState; letters: number }>(
    'SELECT state, letters FROM replay_counts WHERE replay = ?',
    replay,
  )
  return { ...none, ...Object.fromEntries(rows.map(({ state, letters }) => [state, letters])) }
}
