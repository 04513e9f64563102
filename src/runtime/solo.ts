import type { Turn } from './turn.ts'

/**
 * A suspect (handed out before, nobody knows what became of it) may be a message that kills its consumer. It runs alone in the
 * whole process: after everything in hand has settled, one suspect at a time, while nobody takes anything new. So whatever
 * happens then is its own doing, and its neighbours keep their clean record.
 */
export interface Solo {
  /** Nobody may take anything new while this is true. */
  readonly wanted: boolean
  /** Nobody may start anything while this is true. */
  readonly running: boolean
  /** A turn that is no suspect can run from now on. */
  enter(): void
  /** It is settled, or only waits for its dead-letter channel. */
  leave(): void
  /** Calls `start` when everything else has settled. */
  request(turn: Turn, start: () => void): void
  /** The turn is gone, whether it had started or not. */
  done(turn: Turn): void
}

/** `resume` is called when everybody may go on. */
export function createSolo(resume: () => void): Solo {
  let inTheWay = 0
  let current: Turn | undefined
  let waiting: { readonly turn: Turn; readonly start: () => void }[] = []

  function startNext(): void {
    if (current || inTheWay > 0) return
    const next = waiting.shift()
    if (!next) return
    current = next.turn
    next.start()
  }

  return {
    get wanted() {
      return current !== undefined || waiting.length > 0
    },
    get running() {
      return current !== undefined
    },
    enter() {
      inTheWay++
    },
    leave() {
      inTheWay--
      if (waiting.length > 0) startNext()
    },
    request(turn, start) {
      waiting.push({ turn, start })
      startNext()
    },
    done(turn) {
      if (current === turn) current = undefined
      else waiting = waiting.filter((other) => other.turn !== turn)
      startNext()
      if (!current) resume()
    },
  }
}
