import { RedriveError } from '../../core/errors.ts'
import { listOf, type Operation, type Sql } from '../sql.ts'
import { membersOf } from './cause-groups.ts'

/** What somebody said about which causes are one, and which are two. */
export interface CauseDecision {
  readonly id: number
  /** `merge`: `cause` stands under `target` from then on. `split`: of the letters of `cause`, those that `rule` means are `target`. */
  readonly kind: 'merge' | 'split'
  readonly cause: number
  readonly causeTitle: string
  readonly target: number
  readonly targetTitle: string
  readonly rule: string | null
  readonly madeAt: number
  readonly actor: string
  readonly reason: string
  readonly undoneAt: number | null
  readonly undoneBy: string | null
  readonly undoneBecause: string | null
  /** Letters are still being moved to where it says. */
  readonly isMoving: boolean
}

type DecisionRow = Omit<CauseDecision, 'isMoving'> & { readonly isMoving: number }

const columns = `said.id, said.kind, said.cause, one.title AS "causeTitle", said.target, other.title AS "targetTitle", said.rule,
  said.made_at AS "madeAt", said.actor, said.reason, said.undone_at AS "undoneAt", said.undone_by AS "undoneBy",
  said.undone_because AS "undoneBecause", CASE WHEN said.moved_to IS NULL THEN 0 ELSE 1 END AS "isMoving"`

const from = `cause_decisions AS said JOIN causes AS one ON one.id = said.cause JOIN causes AS other ON other.id = said.target`

function decisionOf(row: DecisionRow): CauseDecision {
  return { ...row, isMoving: row.isMoving === 1 }
}

export const showDecision: Operation<{ readonly id: number }, CauseDecision> = async (sql, { id }) => {
  const row = await sql.get<DecisionRow>(`SELECT ${columns} FROM ${from} WHERE said.id = ?`, id)
  if (!row) throw new RedriveError('not-found', `Nobody made a decision ${id} about causes.`)
  return decisionOf(row)
}

const mostShown = 200

/** What was said about a cause and about all that stand under it, the newest first, with what was taken back. */
export const decisionsAbout: Operation<{ readonly cause: number }, readonly CauseDecision[]> = async (sql, { cause }) => {
  const rows = await sql.all<DecisionRow>(
    `SELECT ${columns} FROM ${from}
     WHERE said.cause IN (${membersOf('?')}) OR said.target IN (${membersOf('?')}) ORDER BY said.id DESC LIMIT ${mostShown}`,
    ...[cause, cause, cause, cause],
  )
  return rows.map(decisionOf)
}

/** What stands under a cause, besides itself. */
export interface CauseMember {
  readonly id: number
  readonly fingerprint: string
  readonly title: string
  readonly total: number
  readonly unresolved: number
}

export const causeMembers: Operation<{ readonly cause: number }, readonly CauseMember[]> = async (sql, { cause }) =>
  sql.all('SELECT id, fingerprint, title, total, unresolved FROM causes WHERE shown = ? ORDER BY id', cause)

/** Of which letters are still to be moved, the oldest first. */
export const unsettledDecisions: Operation<undefined, readonly number[]> = async (sql) => {
  const rows = await sql.all<{ id: number }>('SELECT id FROM cause_decisions WHERE moved_to IS NOT NULL ORDER BY id')
  return rows.map(({ id }) => id)
}

export interface Said {
  readonly actor: string
  readonly reason: string
  readonly now: number
}

export interface NewDecision extends Said {
  readonly kind: CauseDecision['kind']
  readonly cause: number
  readonly target: number
  readonly rule: string | null
  readonly movedTo: number | null
}

export async function keepDecision(sql: Sql, decision: NewDecision): Promise<number> {
  const { kind, cause, target, rule, now, actor, reason, movedTo } = decision
  const row = await sql.get<{ id: number }>(
    `INSERT INTO cause_decisions (kind, cause, target, rule, made_at, actor, reason, moved_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    ...[kind, cause, target, rule, now, actor, reason, movedTo],
  )
  if (!row) throw new Error('The decision could not be written.')
  return row.id
}

/** Whether letters of one of these causes are on their way. Two moves at once would each judge by what the other has not done yet. */
export async function refuseWhileMoving(sql: Sql, causes: readonly number[], but = 0): Promise<void> {
  const { places, values } = listOf(causes)
  const row = await sql.get<{ id: number }>(
    `SELECT id FROM cause_decisions WHERE moved_to IS NOT NULL AND id <> ? AND (cause IN ${places} OR target IN ${places}) LIMIT 1`,
    but,
    ...values,
    ...values,
  )
  if (row) throw new RedriveError('conflict', `Letters are still being moved by decision ${row.id}. Try again in a moment.`)
}
