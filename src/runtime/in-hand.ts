import type { Turn } from './turn.ts'

/** All turns of a channel that are not settled, in the order in which they were taken. Adding and removing cost no search. */
export interface InHand extends Iterable<Turn> {
  readonly size: number
  add(turn: Turn): void
  remove(turn: Turn): void
}

export function createInHand(): InHand {
  let first: Turn | undefined
  let last: Turn | undefined
  let size = 0
  return {
    get size() {
      return size
    },
    add(turn) {
      turn.previousInHand = last
      if (last) last.nextInHand = turn
      else first = turn
      last = turn
      size++
    },
    remove(turn) {
      if (turn.previousInHand) turn.previousInHand.nextInHand = turn.nextInHand
      else first = turn.nextInHand
      if (turn.nextInHand) turn.nextInHand.previousInHand = turn.previousInHand
      else last = turn.previousInHand
      turn.nextInHand = undefined
      turn.previousInHand = undefined
      size--
    },
    /** Survives the removal of the turn it has just given. */
    *[Symbol.iterator]() {
      for (let turn = first; turn; ) {
        const next: Turn | undefined = turn.nextInHand
        yield turn
        turn = next
      }
    },
  }
}
