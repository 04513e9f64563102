import { RedriveError } from '../../core/errors.ts'
import { type ReplayRow, type ReplayState, replayOf } from '../replay-rows.ts'
import type { Operation, Sql } from '../sql.ts'
import { createTally } from '../tally.ts'
import { countLedger, countMoved } from './ledger-counts.ts'
import { changeState } from './letter-changes.ts'
import { sealOfRows } from './seal-replay.ts'

interface Command {
  readonly replay: number
  readonly now: number
}

export async function findReplay(sql: Sql, replay: number): Promise<ReplayRow> {
  const row = await sql.get<ReplayRow>('SELECT * FROM replays WHERE id = ?', replay)
  if (!row) throw new RedriveError('not-found', `There is no replay ${replay}.`)
  return row
}

/**
 * Takes every letter of a sealed replay for it, in one transaction. A letter that is not open any more, because another replay or a person
 * was quicker, is skipped and stays as it is; when all of them are, the replay is refused.
 */
export const startReplay: Operation<Command, { readonly taken: number; readonly skipped: number }> = async (
  sql,
  { replay, now },
) => {
  const row = await findReplay(sql, replay)
  requireState(row, ['sealed'], 'start')
  if ((await sealOfRows(sql, replay, replayOf(row).plan)) !== row.seal) {
    throw new RedriveError('seal-broken', `Replay ${replay} is not what was sealed. Make a new one.`)
  }
  const rows = await sql.all<{ letter: number }>('SELECT letter FROM replay_letters WHERE replay = ?', replay)
  const letters = rows.map(({ letter }) => letter)
  const tally = createTally()
  const taken = new Set((await changeState(sql, tally, letters, { from: 'open', to: 'replaying', now })).map(({ id }) => id))
  if (taken.size === 0) {
    throw new RedriveError('conflict', `No letter of replay ${replay} is open any more: somebody else was quicker.`)
  }
  await tally.write(sql)
  const skipped = letters.filter((letter) => !taken.has(letter))
  await skip(sql, replay, skipped, now)
  await countMoved(sql, replay, 'planned', 'skipped', skipped.length)
  await setState(sql, replay, 'running', now)
  return { taken: taken.size, skipped: skipped.length }
}

/** They stay whose they are. */
async function skip(sql: Sql, replay: number, letters: readonly number[], now: number): Promise<void> {
  for (const letter of letters) {
    await sql.run(
      "UPDATE replay_letters SET state = 'skipped', at = ?, problem = 'not-open' WHERE replay = ? AND letter = ?",
      now,
      replay,
      letter,
    )
  }
}

export const pauseReplay: Operation<Command, undefined> = async (sql, { replay, now }) => {
  requireState(await findReplay(sql, replay), ['running'], 'pause')
  return setState(sql, replay, 'paused', now)
}

/** Whoever resumes it has seen what came back: the canary starts anew, and judges only what happens from now on. */
export const resumeReplay: Operation<Command, undefined> = async (sql, { replay, now }) => {
  requireState(await findReplay(sql, replay), ['paused', 'stopped'], 'resume')
  const counts = await countLedger(sql, { replay })
  await sql.run('UPDATE replays SET counts_at_resume = ? WHERE id = ?', JSON.stringify(counts), replay)
  return setState(sql, replay, 'running', now)
}

export const stopReplay: Operation<Command & { readonly because: string }, undefined> = async (sql, { replay, now, because }) => {
  requireState(await findReplay(sql, replay), ['running'], 'stop')
  return setState(sql, replay, 'stopped', now, because)
}

export const finishReplay: Operation<Command, undefined> = async (sql, { replay, now }) => {
  requireState(await findReplay(sql, replay), ['running'], 'finish')
  return setState(sql, replay, 'done', now)
}

/** What was not sent yet is open again; what was sent stays sent. */
export const cancelReplay: Operation<Command, { readonly released: number }> = async (sql, { replay, now }) => {
  const row = await findReplay(sql, replay)
  requireState(row, ['sealed', 'running', 'paused', 'stopped'], 'cancel')
  const planned = await sql.all<{ letter: number }>(
    "UPDATE replay_letters SET state = 'cancelled', at = ? WHERE replay = ? AND state = 'planned' RETURNING letter",
    now,
    replay,
  )
  await countMoved(sql, replay, 'planned', 'cancelled', planned.length)
  const tally = createTally()
  const letters = row.state === 'sealed' ? [] : planned.map(({ letter }) => letter)
  const released = await changeState(sql, tally, letters, { from: 'replaying', to: 'open', now })
  await tally.write(sql)
  await setState(sql, replay, 'cancelled', now)
  return { released: released.length }
}

function requireState({ id, state }: ReplayRow, allowed: readonly ReplayState[], verb: string): void {
  if (allowed.includes(state)) return
  throw new RedriveError('conflict', `Replay ${id} is ${state}: only one that is ${allowed.join(' or ')} can be told to ${verb}.`)
}

async function setState(sql: Sql, replay: number, state: ReplayState, now: number, because?: string): Promise<undefined> {
  await sql.run(
    'UPDATE replays SET state = ?, state_since = ?, stopped_because = ? WHERE id = ?',
    state,
    now,
    because ?? null,
    replay,
  )
  return undefined
}
