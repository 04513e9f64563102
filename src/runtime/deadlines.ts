import { RedriveError } from '../core/errors.ts'
import type { Cancel, Clock } from '../core/ports.ts'
import type { Turn } from './turn.ts'

/** Watches the runs of one handler, all of which have the same timeout. */
export interface Deadlines {
  watch(turn: Turn): void
  unwatch(turn: Turn): void
  close(): void
}

/**
 * A timer per message costs more than the rest of the runtime together. Runs with one timeout fall due in the order in which they
 * start, so a list with a single timer for its head is enough; finished runs leave the list, and the timer only looks again
 * when it fires.
 */
export function createDeadlines(clock: Clock, timeout: number, due: (turn: Turn) => void): Deadlines {
  let first: Turn | undefined
  let last: Turn | undefined
  let cancel: Cancel | undefined

  function unwatch(turn: Turn): void {
    if (!turn.previousDue && !turn.nextDue && first !== turn) return
    if (turn.previousDue) turn.previousDue.nextDue = turn.nextDue
    else first = turn.nextDue
    if (turn.nextDue) turn.nextDue.previousDue = turn.previousDue
    else last = turn.previousDue
    turn.nextDue = undefined
    turn.previousDue = undefined
  }

  function look(): void {
    cancel = undefined
    const now = clock.monotonic()
    while (first && first.runStartedAt + timeout <= now) {
      const turn = first
      unwatch(turn)
      due(turn)
    }
    if (first) cancel = clock.after(Math.max(1, first.runStartedAt + timeout - now), look, { background: true })
  }

  return {
    watch(turn) {
      turn.previousDue = last
      if (last) last.nextDue = turn
      else first = turn
      last = turn
      cancel ??= clock.after(timeout, look, { background: true })
    },
    unwatch,
    close() {
      cancel?.()
      cancel = undefined
      first = undefined
      last = undefined
    },
  }
}

export function timeoutError(timeout: number, cause?: unknown): RedriveError {
  return new RedriveError('handler-timeout', `the handler did not finish within ${timeout} ms`, { cause })
}
