import { RedriveError } from '../../core/errors.ts'
import type { ReplayRow, ReplayState } from '../replay-rows.ts'
import type { Sql } from '../sql.ts'

export async function findReplay(sql: Sql, replay: number): Promise<ReplayRow> {
  const row = await sql.get<ReplayRow>('SELECT * FROM replays WHERE id = ?', replay)
  if (!row) throw new RedriveError('not-found', `There is no replay ${replay}.`)
  return row
}

export function requireState({ id, state }: ReplayRow, allowed: readonly ReplayState[], verb: string): void {
  if (allowed.includes(state)) return
  throw new RedriveError('conflict', `Replay ${id} is ${state}: only one that is ${allowed.join(' or ')} can be told to ${verb}.`)
}

export async function setState(sql: Sql, replay: number, state: ReplayState, now: number, because?: string): Promise<undefined> {
  await sql.run(
    'UPDATE replays SET state = ?, state_since = ?, stopped_because = ? WHERE id = ?',
    state,
    now,
    because ?? null,
    replay,
  )
  return undefined
}
