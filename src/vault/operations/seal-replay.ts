import { hash } from 'node:crypto'
import { RedriveError } from '../../core/errors.ts'
import type { PlannedLetter, ReplayPlan } from '../replay-rows.ts'
import type { Operation, Sql } from '../sql.ts'
import { countMoved } from './ledger-counts.ts'

export interface Sealing {
  readonly name: string
  readonly actor: string
  readonly now: number
  readonly plan: ReplayPlan
  /** In the order in which they are to be sent. */
  readonly letters: readonly PlannedLetter[]
}

/** Freezes a set of letters, where each goes and how. What runs later is this and nothing else. */
export const sealReplay: Operation<Sealing, { readonly id: number; readonly seal: string }> = async (sql, sealing) => {
  const { name, actor, now, plan, letters } = sealing
  if (letters.length === 0) throw new RedriveError('nothing-to-do', 'No letter of this selection can be replayed.')
  const seal = sealOf(plan, letters)
  const row = await sql.get<{ id: number }>(insert, name, actor, now, now, seal, JSON.stringify(plan), letters.length)
  if (!row) throw new Error('The replay could not be written.')
  for (const [seq, { letter, destination, edit }] of letters.entries()) {
    await sql.run(insertLetter, row.id, seq, letter, JSON.stringify(destination), edit ?? null, now)
  }
  await countMoved(sql, row.id, undefined, 'planned', letters.length)
  return { id: row.id, seal }
}

const insert = `
  INSERT INTO replays (name, actor, made_at, state, state_since, seal, plan, letters)
  VALUES (?, ?, ?, 'sealed', ?, ?, ?, ?) RETURNING id`

const insertLetter = `
  INSERT INTO replay_letters (replay, seq, letter, state, destination, edit, at) VALUES (?, ?, ?, 'planned', ?, ?, ?)`

/** One changed byte of what was previewed gives another seal. */
function sealOf(plan: ReplayPlan, letters: readonly PlannedLetter[]): string {
  return hash(
    'sha256',
    JSON.stringify([plan, letters.map(({ letter, destination, edit }) => [letter, destination, edit ?? null])]),
  )
}

/** What stands in the tables now, sealed again: the same text, or somebody has changed it since. */
export async function sealOfRows(sql: Sql, replay: number, plan: ReplayPlan): Promise<string> {
  const rows = await sql.all<{ letter: number; destination: string; edit: number | null }>(
    'SELECT letter, destination, edit FROM replay_letters WHERE replay = ? ORDER BY seq',
    replay,
  )
  const letters = rows.map(({ letter, destination, edit }) => ({
    letter,
    destination: JSON.parse(destination) as PlannedLetter['destination'],
    ...(edit !== null && { edit }),
  }))
  return sealOf(plan, letters)
}
