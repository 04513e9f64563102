import { hash } from 'node:crypto'
import { asksForHeaders, parseSplitRule } from '../../core/cause-routes.ts'
import { RedriveError } from '../../core/errors.ts'
import { refuseSearchWhereSealed } from '../sealing/sealed-vault.ts'
import type { Operation, Sql } from '../sql.ts'
import type { AsSeen } from '../standing.ts'
import { keepDecision, refuseWhileMoving, type Said } from './cause-decisions.ts'
import { markRegrouped, shownOf } from './cause-groups.ts'
import { causeAsSeen } from './causes.ts'

export interface SplitCause extends Said, AsSeen {
  readonly cause: number
  /** In the words of `parseSplitRule`. */
  readonly rule: string
  readonly title?: string
}

interface Whole {
  readonly id: number
  readonly fingerprint: string
  readonly title: string
  readonly parts: string
  readonly owner: string | null
  readonly own: number | null
}

/**
 * Makes a cause of its own of what a rule means among the letters of a cause. Letters that come are judged by it from now on; those that are here
 * are moved step by step, by `moveLetters`.
 */
export const splitCause: Operation<SplitCause, { readonly decision: number; readonly cause: number }> = async (
  sql,
  { cause, rule, title, seen, ...said },
) => {
  await causeAsSeen(sql, cause, seen)
  if (asksForHeaders(parseSplitRule(rule))) await refuseSearchWhereSealed(sql)
  const whole = await wholeCause(sql, cause)
  await refuseWhileMoving(sql, [cause])
  await refuseSecond(sql, cause, rule)
  const target = await makePart(sql, whole, { rule, title: title ?? `${whole.title} (${rule})`, now: said.now })
  const decision = await keepDecision(sql, { ...said, kind: 'split', cause, target, rule, movedTo: 0 })
  await markRegrouped(sql, [cause, await shownOf(sql, cause)])
  return { decision, cause: target }
}

/** What was split and put together again has nothing of its own to be split. */
async function wholeCause(sql: Sql, id: number): Promise<Whole> {
  const row = await sql.get<Whole>('SELECT id, fingerprint, title, parts, owner, own FROM causes WHERE id = ?', id)
  if (!row) throw new RedriveError('not-found', `There is no cause ${id}.`)
  const undone = await sql.get(
    `SELECT 1 AS found FROM cause_decisions WHERE kind = 'split' AND target = ? AND undone_at IS NOT NULL`,
    id,
  )
  if (undone) throw new RedriveError('conflict', `Cause ${id} was put together again with what it was split from.`)
  return row
}

/** The first of two with the same rule takes all that it means, and the second would be empty for ever. */
async function refuseSecond(sql: Sql, cause: number, rule: string): Promise<void> {
  const text = `SELECT target FROM cause_decisions WHERE kind = 'split' AND undone_at IS NULL AND cause = ? AND rule = ?`
  const before = await sql.get<{ target: number }>(text, cause, rule)
  if (before) throw new RedriveError('conflict', `Cause ${cause} was split by this rule already: see cause ${before.target}.`)
}

async function makePart(
  sql: Sql,
  whole: Whole,
  { rule, title, now }: { readonly rule: string; readonly title: string; readonly now: number },
): Promise<number> {
  const { fingerprint, parts, owner, own, id } = whole
  const numbered = await sql.get<{ last: number | null }>('SELECT max(id) AS last FROM causes')
  const name = `split:${hash('sha256', JSON.stringify([fingerprint, rule, now, numbered?.last ?? 0])).slice(0, 32)}`
  const row = await sql.get<{ id: number }>(
    insert,
    name,
    title.slice(0, longestTitle),
    parts,
    now,
    owner,
    now,
    now,
    now,
    own ?? id,
  )
  if (!row) throw new Error('The cause could not be written.')
  return row.id
}

const longestTitle = 300

const insert = `
  INSERT INTO causes (fingerprint, title, parts, state, state_since, owner, first_at, last_at, shown_at, own)
  VALUES (?, ?, ?, 'open', ?, ?, ?, ?, ?, ?) RETURNING id`
