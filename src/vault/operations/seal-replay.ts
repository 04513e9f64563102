import { hash } from 'node:crypto'
import { RedriveError } from '../../core/errors.ts'
import type { PlannedLetter, ReplayPlan } from '../replay-rows.ts'
import type { Operation } from '../sql.ts'
import { countMoved } from './ledger-counts.ts'
import { findReplay, requireState, setState } from './replay-state.ts'

/**
 * Lines of a plan that one transaction makes, takes or releases. A replay may have a million of them, and everybody else who writes has a turn in
 * between. What a control plane leaves half done when it dies, the next one finishes or gives up.
 */
export const stepSize = 1000

export interface Draft {
  readonly name: string
  readonly actor: string
  readonly now: number
  readonly plan: ReplayPlan
}

/** A replay that is being made. It cannot be started before it is sealed. */
export const draftReplay: Operation<Draft, { readonly id: number }> = async (sql, { name, actor, now, plan }) => {
  const text = JSON.stringify(plan)
  const row = await sql.get<{ id: number }>(insert, name, actor, now, now, hash('sha256', text), text)
  if (!row) throw new Error('The replay could not be written.')
  return row
}

const insert = `
  INSERT INTO replays (name, actor, made_at, state, state_since, seal, plan, letters)
  VALUES (?, ?, ?, 'sealing', ?, ?, ?, 0) RETURNING id`

export interface Addition {
  readonly replay: number
  readonly now: number
  /** In the order in which they are to be sent: `stepSize` of them, and fewer only in the end. */
  readonly letters: readonly PlannedLetter[]
}

export const addToReplay: Operation<Addition, undefined> = async (sql, { replay, now, letters }) => {
  const row = await findReplay(sql, replay)
  requireState(row, ['sealing'], 'add letters')
  if (row.letters % stepSize > 0 || letters.length > stepSize) throw new Error('A plan grows by whole steps.')
  const lines = letters.map(({ letter, destination, edit }) => ({
    letter,
    destination: JSON.stringify(destination),
    edit: edit ?? null,
  }))
  for (const [index, { letter, destination, edit }] of lines.entries()) {
    await sql.run(insertLine, replay, row.letters + index, letter, destination, edit, now)
  }
  await sql.run(grow, lines.length, sealAfter(row.seal, lines), replay)
  await countMoved(sql, replay, undefined, 'planned', lines.length)
  return undefined
}

const insertLine = `
  INSERT INTO replay_letters (replay, seq, letter, state, destination, edit, at) VALUES (?, ?, ?, 'planned', ?, ?, ?)`
const grow = 'UPDATE replays SET letters = letters + ?, seal = ? WHERE id = ?'

interface SealedLine {
  readonly letter: number
  readonly destination: string
  readonly edit: number | null
}

/** One changed byte of what was previewed gives another seal. */
function sealAfter(seal: string, lines: readonly SealedLine[]): string {
  return hash('sha256', JSON.stringify([seal, lines.map(({ letter, destination, edit }) => [letter, destination, edit])]))
}

/** Freezes a set of letters, where each goes and how. What runs later is this and nothing else. */
export const sealReplay: Operation<{ readonly replay: number; readonly now: number }, undefined> = async (
  sql,
  { replay, now },
) => {
  const row = await findReplay(sql, replay)
  requireState(row, ['sealing'], 'be sealed')
  if (row.letters === 0) throw new RedriveError('nothing-to-do', 'No letter of this selection can be replayed.')
  return setState(sql, replay, 'sealed', now)
}

export interface SealCheck {
  readonly replay: number
  /** The first line of the step. */
  readonly from: number
  /** What the steps before it gave; before the first one, nothing. */
  readonly seal?: string
}

/** One step of what stands in the tables now, sealed again: in the end the same text, or somebody has changed it since. */
export const checkSeal: Operation<SealCheck, { readonly seal: string; readonly lines: number }> = async (
  sql,
  { replay, from, seal },
) => {
  const { plan } = await findReplay(sql, replay)
  const lines = await sql.all<SealedLine>(
    'SELECT letter, destination, edit FROM replay_letters WHERE replay = ? AND seq >= ? ORDER BY seq LIMIT ?',
    replay,
    from,
    stepSize,
  )
  const before = seal ?? hash('sha256', plan)
  return { seal: lines.length === 0 ? before : sealAfter(before, lines), lines: lines.length }
}
