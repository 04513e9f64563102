import type { Operation, Sql } from '../sql.ts'

export interface ForgetReplays {
  /** Only those that ended before. */
  readonly before: number
  /** Lines of a ledger that one step removes. */
  readonly limit: number
}

/** One step: some lines of the ledger that ended longest ago, and the replay itself with its last one. */
export const forgetReplays: Operation<ForgetReplays, { readonly isOver: boolean }> = async (sql, { before, limit }) => {
  const ended = await sql.get<{ id: number }>(longestOver, before)
  if (!ended) return { isOver: true }
  const lines = await sql.run(
    'DELETE FROM replay_letters WHERE replay = ? AND seq IN (SELECT seq FROM replay_letters WHERE replay = ? ORDER BY seq LIMIT ?)',
    ended.id,
    ended.id,
    limit,
  )
  if (lines < limit) await forget(sql, ended.id)
  return { isOver: false }
}

/** How many letters were ever replayed, and with what outcome, is counted on under no number. */
async function forget(sql: Sql, replay: number): Promise<void> {
  await sql.run(keepCounts, noReplay, replay)
  await sql.run('DELETE FROM replay_counts WHERE replay = ?', replay)
  await sql.run('DELETE FROM replays WHERE id = ?', replay)
}

const noReplay = 0

const keepCounts = `
  INSERT INTO replay_counts (replay, state, letters)
    SELECT CAST(? AS BIGINT), state, letters FROM replay_counts WHERE replay = ? AND letters > 0
  ON CONFLICT (replay, state) DO UPDATE SET letters = replay_counts.letters + excluded.letters`

/** Where something is on its way, or a person has to decide about a letter, its replay is not over. */
const longestOver = `
  SELECT id FROM replays WHERE state IN ('done', 'cancelled') AND state_since < ?
    AND NOT EXISTS (SELECT 1 FROM replay_letters AS ledger JOIN letters ON letters.id = ledger.letter
      WHERE ledger.replay = replays.id AND ledger.state IN ('planned', 'claimed', 'sent', 'unknown')
        AND letters.state IN ('replaying', 'sent', 'unknown'))
  ORDER BY id LIMIT 1`
