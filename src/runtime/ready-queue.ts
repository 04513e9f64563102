import type { Turn } from './turn.ts'

/** Turns that may run and wait for a slot, first in first out. Taking from the front does not move the rest. */
export interface ReadyQueue {
  readonly size: number
  push(turn: Turn): void
  shift(): Turn | undefined
  remove(turn: Turn): void
  /** Empties it. */
  takeAll(): readonly Turn[]
}

export function createReadyQueue(): ReadyQueue {
  let turns: Turn[] = []
  let head = 0
  return {
    get size() {
      return turns.length - head
    },
    push(turn) {
      turns.push(turn)
    },
    shift() {
      const turn = turns[head]
      if (!turn) return undefined
      head++
      if (head === turns.length) {
        turns = []
        head = 0
      }
      return turn
    },
    takeAll() {
      const all = turns.slice(head)
      turns = []
      head = 0
      return all
    },
    remove(turn) {
      const at = turns.indexOf(turn, head)
      if (at !== -1) turns.splice(at, 1)
    },
  }
}
