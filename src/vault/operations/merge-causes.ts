import { RedriveError } from '../../core/errors.ts'
import type { Operation, Sql } from '../sql.ts'
import type { AsSeen } from '../standing.ts'
import { keepDecision, type Said } from './cause-decisions.ts'
import { markRegrouped, putUnder, shownOf } from './cause-groups.ts'
import { causeAsSeen } from './causes.ts'

export interface Merge extends Said, AsSeen {
  /** What the others are. Where it stands under another cause itself, that one is meant. */
  readonly into: number
  readonly causes: readonly number[]
}

/**
 * Says that causes are another one. No letter is written: each stays with the cause of its fingerprint, which is shown under the other one from now on,
 * with all that stood under it. All of them, or none.
 */
export const mergeCauses: Operation<Merge, { readonly into: number }> = async (sql, { into, causes, seen, ...said }) => {
  await causeAsSeen(sql, into, seen)
  const target = await shownOf(sql, into)
  for (const cause of new Set(causes)) {
    await refuseUnlessApart(sql, cause, target)
    await putUnder(sql, cause, target)
    await keepDecision(sql, { ...said, kind: 'merge', cause, target, rule: null, movedTo: null })
  }
  await markRegrouped(sql, [...causes, target])
  return { into: target }
}

/** Only what stands for itself can be put under another one: whoever else has merged it meanwhile was quicker. So nothing ever goes round in a circle. */
async function refuseUnlessApart(sql: Sql, cause: number, target: number): Promise<void> {
  const shown = await shownOf(sql, cause)
  if (shown === target) throw new RedriveError('conflict', `Cause ${cause} is cause ${target} already.`)
  if (shown !== cause) throw new RedriveError('conflict', `Cause ${cause} stands under cause ${shown} by now: merge that one.`)
}
