import { type LedgerCounts, type LedgerState, noneCounted } from '../../core/canary.ts'
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

/** Over all replays. */
export const countReplayed: Operation<undefined, readonly { readonly state: LedgerState; readonly letters: number }[]> = async (
  sql,
) => sql.all('SELECT state, sum(letters) AS letters FROM replay_counts GROUP BY state ORDER BY state')

export const countLedger: Operation<{ readonly replay: number }, LedgerCounts> = async (sql, { replay }) => {
  const rows = await sql.all<{ state: LedgerState; letters: number }>(
    'SELECT state, letters FROM replay_counts WHERE replay = ?',
    replay,
  )
  return { ...noneCounted, ...Object.fromEntries(rows.map(({ state, letters }) => [state, letters])) }
}
