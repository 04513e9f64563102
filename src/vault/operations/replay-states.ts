import { RedriveError } from '../../core/errors.ts'
import { type ReplayRow, type ReplayState, replayOf } from '../replay-rows.ts'
import type { Operation, Sql } from '../sql.ts'
import { createTally } from '../tally.ts'
import { countMoved } from './ledger-counts.ts'
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
 * was quicker, is refused and stays as it is; when all of them are, so is the replay.
 */
export const startReplay: Operation<Command, { readonly taken: number; readonly refused: number }> = async (
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
  const taken = new Set((await changeState(sql, tally, letters, 'open', 'replaying')).map(({ id }) => id))
  if (taken.size === 0) {
    throw new RedriveError('conflict', `No letter of replay ${replay} is open any more: somebody else was quicker.`)
  }
  await tally.write(sql)
  const refused = letters.filter((letter) => !taken.has(letter))
  await refuse(sql, replay, refused, now)
  await countMoved(sql, replay, 'planned', 'refused', refused.length)
  await setState(sql, replay, 'running', now)
  return { taken: taken.size, refused: refused.length }
}

/** They stay whose they are. */
async function refuse(sql: Sql, replay: number, letters: readonly number[], now: number): Promise<void> {
  for (const letter of letters) {
    await sql.run(
      "UPDATE replay_letters SET state = 'refused', at = ?, problem = 'not-open' WHERE replay = ? AND letter = ?",
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

export const resumeReplay: Operation<Command, undefined> = async (sql, { replay, now }) => {
  requireState(await findReplay(sql, replay), ['paused', 'stopped'], 'resume')
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
  const released = await changeState(sql, tally, letters, 'replaying', 'open')
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
