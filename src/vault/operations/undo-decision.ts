import { RedriveError } from '../../core/errors.ts'
import type { Operation, Sql } from '../sql.ts'
import { type CauseDecision, refuseWhileMoving, type Said, showDecision } from './cause-decisions.ts'
import { markRegrouped, putUnder, shownOf, takeOut } from './cause-groups.ts'

export interface Undo extends Said {
  readonly decision: number
}

/**
 * Takes back what somebody said. Causes that were merged stand for themselves again, with the letters that came meanwhile. What was split off is
 * shown at once under what it was taken from; its letters are moved step by step to where all that is still said puts them.
 */
export const undoDecision: Operation<Undo, CauseDecision> = async (sql, { decision: id, actor, reason, now }) => {
  const decision = await showDecision(sql, { id })
  if (decision.undoneAt !== null) throw new RedriveError('conflict', `Decision ${id} was undone by ${decision.undoneBy} already.`)
  const isSplit = decision.kind === 'split'
  if (isSplit) await refuseWhileUsed(sql, decision)
  const concerned = [await shownOf(sql, decision.cause), await shownOf(sql, decision.target)]
  await sql.run(
    'UPDATE cause_decisions SET undone_at = ?, undone_by = ?, undone_because = ?, moved_to = ?, kept = NULL WHERE id = ?',
    ...[now, actor, reason, isSplit ? 0 : null, id],
  )
  if (isSplit) await putUnder(sql, decision.target, await shownOf(sql, decision.cause))
  else await takeOut(sql, decision.cause)
  await markRegrouped(sql, [decision.cause, decision.target, ...concerned])
  return showDecision(sql, { id })
}

/** What others have said since about the part that was split off would be about nothing. */
async function refuseWhileUsed(sql: Sql, { id, cause, target }: CauseDecision): Promise<void> {
  await refuseWhileMoving(sql, [cause, target], id)
  const later = await sql.get<{ id: number }>(
    `SELECT id FROM cause_decisions WHERE undone_at IS NULL AND id <> ? AND (cause = ? OR target = ?) ORDER BY id DESC LIMIT 1`,
    ...[id, target, target],
  )
  if (later) throw new RedriveError('conflict', `Cause ${target} is part of decision ${later.id}: undo that one first.`)
}
