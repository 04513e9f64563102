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

/**
 * When a replay last got on: when the last of its letters was sent or decided, or when the replay was brought into its state. Epoch milliseconds.
 * Reads the whole ledger, and is for who has not watched.
 */
export const lastProgress: Operation<{ readonly replay: number }, number> = async (sql, { replay }) => {
  const state = await sql.get<{ at: number }>('SELECT state_since AS at FROM replays WHERE id = ?', replay)
  const letter = await sql.get<{ at: number | null }>(
    "SELECT max(at) AS at FROM replay_letters WHERE replay = ? AND state NOT IN ('planned', 'claimed', 'cancelled')",
    replay,
  )
  return Math.max(state?.at ?? 0, letter?.at ?? 0)
}
