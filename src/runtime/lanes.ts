import type { Turn } from './turn.ts'

/** Runs the turns of one key one after the other, each only after the one before is settled for good. */
export interface Lanes {
  /** Tells whether the turn may run now; otherwise it waits in its lane. */
  enter(turn: Turn): boolean
  /** The turn is gone; when it was at the head, gives the one that may run now. */
  leave(turn: Turn): Turn | undefined
  /** Takes out all who wait behind this turn: it will come back later, and they must not overtake it. */
  sendBackWaiting(turn: Turn): readonly Turn[]
}

/** Most keys are in hand once at a time, so there is a list only where somebody waits. */
interface Lane {
  head: Turn
  waiting: Turn[] | undefined
}

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>()
  return {
    enter(turn) {
      if (turn.lane === undefined) return true
      const lane = lanes.get(turn.lane)
      if (!lane) {
        lanes.set(turn.lane, { head: turn, waiting: undefined })
        return true
      }
      lane.waiting ??= []
      lane.waiting.push(turn)
      return false
    },
    leave(turn) {
      if (turn.lane === undefined) return undefined
      const lane = lanes.get(turn.lane)
      if (!lane) return undefined
      if (lane.head !== turn) {
        lane.waiting = lane.waiting?.filter((waiting) => waiting !== turn)
        return undefined
      }
      const next = lane.waiting?.shift()
      if (next) lane.head = next
      else lanes.delete(turn.lane)
      return next
    },
    sendBackWaiting(turn) {
      const lane = turn.lane === undefined ? undefined : lanes.get(turn.lane)
      const waiting = lane?.waiting ?? []
      if (lane) lane.waiting = undefined
      return waiting
    },
  }
}
