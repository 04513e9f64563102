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
  /** Kept when it is empty: nearly every message passes through an empty queue, and a new list for each would be garbage. */
  const turns: (Turn | undefined)[] = []
  let head = 0
  let end = 0

  function empty(): void {
    turns.fill(undefined, head, end)
    head = 0
    end = 0
  }

  return {
    get size() {
      return end - head
    },
    push(turn) {
      turns[end++] = turn
    },
    shift() {
      if (head === end) return undefined
      const turn = turns[head]
      turns[head++] = undefined
      if (head === end) empty()
      return turn
    },
    takeAll() {
      const all = turns.slice(head, end) as Turn[]
      empty()
      return all
    },
    remove(turn) {
      const at = turns.indexOf(turn, head)
      if (at === -1) return
      turns.splice(at, 1)
      end--
    },
  }
}
