import { listOf, type Operation, type Sql } from '../sql.ts'
import { createTally } from '../tally.ts'
import { countLedger, countMoved } from './ledger-counts.ts'
import { changeState } from './letter-changes.ts'
import { findReplay, requireState, setState } from './replay-state.ts'
import { requireDue, startable } from './schedule-replay.ts'
import { stepSize } from './seal-replay.ts'

interface Command {
  readonly replay: number
  readonly now: number
}

interface Start extends Command {
  /** By its time and not by a person: only where that is still its time. */
  readonly isDue?: boolean
}

/**
 * From now on its letters are taken, step by step; it sends nothing before it has all of them. Not while another one takes its own, in whichever
 * process: of two with the same letters, one is to have all of them.
 */
export const beginStart: Operation<Start, { readonly isBegun: boolean }> = async (sql, { replay, now, isDue = false }) => {
  const row = await findReplay(sql, replay)
  if (isDue) requireDue(row, now)
  else requireState(row, startable, 'start')
  if (await sql.get(`SELECT 1 AS found FROM replays WHERE state = 'starting' LIMIT 1`)) return { isBegun: false }
  await setState(sql, replay, 'starting', now)
  return { isBegun: true }
}

/**
 * Takes the next letters of a replay for it. A letter that is not open any more, because another replay or a person was quicker, is skipped and
 * stays as it is. With the last ones the replay runs; where all of them were somebody else's, it is refused and over.
 */
export const takeLetters: Operation<Command, { readonly isOver: boolean }> = async (sql, { replay, now }) => {
  const row = await findReplay(sql, replay)
  requireState(row, ['starting'], 'take letters')
  const lines = await sql.all<Line>(nextLines, replay, row.taken, stepSize)
  const tally = createTally()
  const letters = lines.map(({ letter }) => letter)
  const taken = new Set((await changeState(sql, tally, letters, { from: 'open', to: 'replaying', now })).map(({ id }) => id))
  await tally.write(sql)
  await skip(
    sql,
    replay,
    lines.filter(({ letter }) => !taken.has(letter)),
    now,
  )
  const done = row.taken + lines.length
  await sql.run('UPDATE replays SET taken = ? WHERE id = ?', done, replay)
  if (done < row.letters) return { isOver: false }
  const { planned } = await countLedger(sql, { replay })
  if (planned > 0) await setState(sql, replay, 'running', now)
  else await setState(sql, replay, 'cancelled', now, nobodyOpen)
  return { isOver: true }
}

export const nobodyOpen = 'no letter of it was open any more'

interface Line {
  readonly seq: number
  readonly letter: number
}

const nextLines = 'SELECT seq, letter FROM replay_letters WHERE replay = ? AND seq >= ? ORDER BY seq LIMIT ?'

/** They stay whose they are. */
async function skip(sql: Sql, replay: number, lines: readonly Line[], now: number): Promise<void> {
  if (lines.length === 0) return
  const { places, values } = listOf(lines.map(({ seq }) => seq))
  await sql.run(
    `UPDATE replay_letters SET state = 'skipped', at = ?, problem = 'not-open' WHERE replay = ? AND seq IN ${places}`,
    now,
    replay,
    ...values,
  )
  await countMoved(sql, replay, 'planned', 'skipped', lines.length)
}

/** From now on nothing of it is sent; what was sent stays sent. */
export const beginCancel: Operation<Command & { readonly because?: string }, undefined> = async (
  sql,
  { replay, now, because },
) => {
  const row = await findReplay(sql, replay)
  requireState(row, ['sealing', ...startable, 'starting', 'running', 'paused', 'stopped'], 'cancel')
  return setState(sql, replay, 'cancelling', now, because)
}

/** The next letters that were not sent are open again. */
export const releaseLetters: Operation<Command, { readonly isOver: boolean }> = async (sql, { replay, now }) => {
  const row = await findReplay(sql, replay)
  requireState(row, ['cancelling'], 'release letters')
  const released = await releasePlanned(sql, replay, row.taken, now)
  if (released === stepSize) return { isOver: false }
  await setState(sql, replay, 'cancelled', now, row.stopped_because ?? undefined)
  return { isOver: true }
}

/** Those that were not taken yet are not ours to open. */
export async function releasePlanned(sql: Sql, replay: number, taken: number, now: number): Promise<number> {
  const lines = await sql.all<Line>(cancelLines, now, replay, replay, stepSize)
  const letters = lines.filter(({ seq }) => seq < taken).map(({ letter }) => letter)
  const tally = createTally()
  await changeState(sql, tally, letters, { from: 'replaying', to: 'open', now })
  await tally.write(sql)
  await countMoved(sql, replay, 'planned', 'cancelled', lines.length)
  return lines.length
}

const cancelLines = `
  UPDATE replay_letters SET state = 'cancelled', at = ? WHERE replay = ? AND seq IN (
    SELECT seq FROM replay_letters WHERE replay = ? AND state = 'planned' ORDER BY seq LIMIT ?
  ) RETURNING seq, letter`
