import { RedriveError } from '../../core/errors.ts'
import type { ReplayRow, ReplayState } from '../replay-rows.ts'
import type { Operation } from '../sql.ts'
import { findReplay, requireState, setState } from './replay-state.ts'

/** Made, and nothing of it has happened. */
export const startable: readonly ReplayState[] = ['sealed', 'scheduled', 'missed']

export interface Scheduling {
  readonly replay: number
  readonly now: number
  /** When it is to be started. */
  readonly at: number
  readonly actor: string
}

/** Gives a replay its time, or another one. What it sends stays as it was sealed. */
export const scheduleReplay: Operation<Scheduling, undefined> = async (sql, { replay, now, at, actor }) => {
  requireState(await findReplay(sql, replay), startable, 'start at a time')
  await sql.run('UPDATE replays SET starts_at = ?, scheduled_by = ? WHERE id = ?', at, actor, replay)
  return setState(sql, replay, 'scheduled', now)
}

export interface DueReplay {
  readonly replay: number
  readonly startsAt: number
  readonly scheduledBy: string
}

/** Those whose time has come, the first one first. */
export const dueReplays: Operation<{ readonly now: number }, readonly DueReplay[]> = async (sql, { now }) =>
  sql.all(
    `SELECT id AS replay, starts_at AS "startsAt", scheduled_by AS "scheduledBy" FROM replays
     WHERE state = 'scheduled' AND starts_at <= ? ORDER BY starts_at, id`,
    now,
  )

/** Those that were not started at their time, and wait for a person. */
export const missedReplays: Operation<undefined, readonly number[]> = async (sql) =>
  (await sql.all<{ id: number }>("SELECT id FROM replays WHERE state = 'missed' ORDER BY id")).map(({ id }) => id)

/** Whoever has started it, cancelled it or given it another time meanwhile was quicker. */
export function requireDue(row: ReplayRow, now: number): void {
  requireState(row, ['scheduled'], 'start by its time')
  if (row.starts_at === null || row.starts_at > now)
    throw new RedriveError('conflict', `Replay ${row.id} was given another time.`)
}

/** It is not started by itself any more; a person may. */
export const missReplay: Operation<
  { readonly replay: number; readonly now: number; readonly because: string },
  undefined
> = async (sql, { replay, now, because }) => {
  requireDue(await findReplay(sql, replay), now)
  return setState(sql, replay, 'missed', now, because)
}
