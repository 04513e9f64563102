import { keyText } from '../core/headers.ts'
import { recurring } from '../core/recurring.ts'
import type { Turn } from './turn.ts'

/** Runs the turns of one key one after the other, each only after the one before is settled for good. */
export interface Lanes {
  /** Tells whether the turn may run now; otherwise it waits in the lane of this key. Without a key it stands in no lane. */
  enter(turn: Turn, key: string | undefined): boolean
  /** The turn is gone; when it was at the head, gives the one that may run now. */
  leave(turn: Turn): Turn | undefined
  /**
   * Takes out all who wait behind this turn, and itself where it waits too: it will come back later, and they must not overtake
   * it. Nobody stands behind a turn that has left its lane.
   */
  sendBackWaiting(turn: Turn): readonly Turn[]
  /** Who stands directly ahead of this turn; nobody where it is first, or in no lane. */
  aheadOf(turn: Turn): Turn | undefined
  behind(turn: Turn): Turn | undefined
}

/** Most keys are in hand once at a time, so there is a list only where somebody waits. */
export interface Lane {
  readonly key: string
  /** `undefined` once nobody is left. */
  head: Turn | undefined
  waiting: Turn[] | undefined
}

export function createLanes(): Lanes {
  const lanes = recurring<Lane>(
    (key) => ({ key, head: undefined, waiting: undefined }),
    ({ head }) => head === undefined,
  )
  return {
    enter(turn, key) {
      if (key === undefined) return true
      const lane = lanes.obtain(key)
      turn.lane = lane
      if (!lane.head) {
        lane.head = turn
        return true
      }
      lane.waiting ??= []
      lane.waiting.push(turn)
      return false
    },
    leave(turn) {
      const { lane } = turn
      if (!lane) return undefined
      if (lane.head !== turn) {
        lane.waiting = lane.waiting?.filter((waiting) => waiting !== turn)
        return undefined
      }
      const next = lane.waiting?.shift()
      lane.head = next
      if (!next) lanes.rested()
      return next
    },
    sendBackWaiting(turn) {
      const { lane } = turn
      if (!lane?.waiting) return []
      const from = lane.head === turn ? 0 : lane.waiting.indexOf(turn)
      return from === -1 ? [] : lane.waiting.splice(from)
    },
    aheadOf(turn) {
      const { lane } = turn
      const at = lane?.waiting?.indexOf(turn) ?? -1
      return at === 0 ? lane?.head : lane?.waiting?.[at - 1]
    },
    behind(turn) {
      const { lane } = turn
      if (lane?.head === turn) return lane.waiting?.[0]
      const at = lane?.waiting?.indexOf(turn) ?? -1
      return at === -1 ? undefined : lane?.waiting?.[at + 1]
    },
  }
}

/** The message's own key, else what its definition makes of the body. */
export function orderKeyOf(turn: Turn): string | undefined {
  const { key } = turn.delivery.message
  if (key !== undefined) return keyText(key)
  try {
    return turn.route.keyOf?.(turn)
  } catch {
    // A body that does not decode has no key; its turn will say so.
    return undefined
  }
}
