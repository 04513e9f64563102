import type { Held } from './holdings.ts'
import type { OwnPast, Standing } from './own-past.ts'
import { pastName } from './settling.ts'

/**
 * How a message stands that comes now. What comes in order comes again from the first that was not settled, and the server counts one more delivery for
 * each that comes with it. All are suspects, which run alone and in this order: so whichever of them ends a process stands first when they come
 * again, and that turn is counted for the first alone. `ahead`: lanes of which something stands before this one; absent where there is no order.
 */
export function standingOf(
  coming: Pick<Held<unknown>, 'id' | 'place' | 'lane' | 'count'>,
  ahead: ReadonlySet<string> | undefined,
  past: OwnPast,
): Standing {
  const { lane, place, count } = coming
  const own = past.recall(pastName(coming), count)
  if (own) return own
  const isBehind = lane !== undefined && ahead?.has(lane)
  return { turns: isBehind ? 0 : Math.max(0, count - 1 - past.unseen(place)), suspect: count > 1 }
}
