import { RedriveError } from '../../core/errors.ts'
import { listOf, type Sql, type Writer } from '../sql.ts'

/** The cause that letters of another one are shown under, in SQL: `column` is the number of a cause. */
export function shownCause(column: string): string {
  return `coalesce((SELECT standing.shown FROM causes AS standing WHERE standing.id = ${column}), ${column})`
}

/** Everything that stands under a cause, itself included, in SQL. */
export function membersOf(cause: string): string {
  return `SELECT member.id FROM causes AS member WHERE member.id = ${cause} OR member.shown = ${cause}`
}

/** Which cause each of these is shown under. */
export async function shownOf(sql: Sql, cause: number): Promise<number> {
  const row = await sql.get<{ shown: number }>('SELECT coalesce(shown, id) AS shown FROM causes WHERE id = ?', cause)
  if (!row) throw new RedriveError('not-found', `There is no cause ${cause}.`)
  return row.shown
}

/** A cause, with all that stands under it, stands under another one from now on. */
export async function putUnder(sql: Sql, cause: number, under: number): Promise<void> {
  await shiftBound(sql, under, await unresolvedUnder(sql, cause))
  await sql.run('UPDATE causes SET shown = ? WHERE id = ? OR shown = ?', under, cause, cause)
  await refreshSight(sql, under)
}

/** A cause stands for itself again, with those that were put under it and not under anything else. */
export async function takeOut(sql: Sql, cause: number): Promise<void> {
  const before = await shownOf(sql, cause)
  const { places, values } = listOf(await descendantsOf(sql, cause))
  await sql.run(`UPDATE causes SET shown = ? WHERE id IN ${places}`, cause, ...values)
  await sql.run('UPDATE causes SET shown = NULL WHERE id = ?', cause)
  await shiftBound(sql, before, -(await unresolvedUnder(sql, cause)))
  for (const each of [before, cause]) await refreshSight(sql, each)
}

/** By what was said and not taken back; a split that was undone stands under what it was taken from. */
async function descendantsOf(sql: Sql, cause: number): Promise<readonly number[]> {
  const found: number[] = []
  for (let level: readonly number[] = [cause]; level.length > 0; ) {
    const { places, values } = listOf(level)
    const rows = await sql.all<{ child: number }>(
      `SELECT cause AS child FROM cause_decisions WHERE kind = 'merge' AND undone_at IS NULL AND target IN ${places}
       UNION ALL SELECT target AS child FROM cause_decisions WHERE kind = 'split' AND undone_at IS NOT NULL AND cause IN ${places}`,
      ...values,
      ...values,
    )
    level = rows.map(({ child }) => child)
    found.push(...level)
  }
  return found
}

async function unresolvedUnder(sql: Sql, cause: number): Promise<number> {
  const row = await sql.get<{ unresolved: number }>(
    'SELECT coalesce(sum(unresolved), 0) AS unresolved FROM causes WHERE id = ? OR shown = ?',
    cause,
    cause,
  )
  return row?.unresolved ?? 0
}

/**
 * An archived cause is worse when it has more unresolved letters than then. Those that are put under it, or taken from it, make it neither worse nor
 * better.
 */
export async function shiftBound(sql: Sql, cause: number, by: number): Promise<void> {
  const text = `UPDATE causes SET worse_than = CASE WHEN worse_than + ? < 0 THEN 0 ELSE worse_than + ? END
    WHERE id = ? AND worse_than IS NOT NULL`
  if (by !== 0) await sql.run(text, by, by, cause)
}

/** When the newest letter of all that stand under it came, by which causes are listed. */
export async function refreshSight(sql: Writer, cause: number): Promise<void> {
  await sql.run(
    `UPDATE causes SET shown_at = coalesce((SELECT max(each.last_at) FROM causes AS each
       WHERE (each.id = causes.id OR each.shown = causes.id) AND each.total > 0), last_at) WHERE id = ?`,
    cause,
  )
}

/** Something was said about them: who has looked at one before has not seen that. */
export async function markRegrouped(sql: Sql, causes: readonly number[]): Promise<void> {
  const { places, values } = listOf(causes)
  await sql.run(`UPDATE causes SET regrouped = regrouped + 1 WHERE id IN ${places}`, ...values)
}
