import type { Decision, Step } from '../core/decision.ts'
import { RedriveError } from '../core/errors.ts'
import type { Failure } from '../core/failure.ts'
import type { WrittenLetter } from './letters.ts'
import type { Turn } from './turn.ts'

/** What is still to be done for a turn. */
export interface Work {
  decision: Decision
  steps: readonly Step[]
  /** Steps that are done: a letter that was confirmed is not sent again because completing failed. */
  done: number
  letter: WrittenLetter | undefined
  /** The channel that the letter is for, once it waits in the spool. */
  spooledTo?: string
}

/** The step that writes a letter, while it is not done. */
export function letterStep({ letter, steps, done }: Work): Extract<Step, { kind: 'send' | 'move' }> | undefined {
  const step = steps[done]
  return letter && (step?.kind === 'send' || step?.kind === 'move') ? step : undefined
}

/** The letter is safe elsewhere, or given up: completing is all that is left. */
export function onlyComplete(work: Work): void {
  work.steps = [{ kind: 'complete' }]
  work.done = 0
}

export function failureOf(turn: Turn): Failure {
  if (turn.failure) return turn.failure
  throw new RedriveError('bad-message', 'a letter needs a failure')
}
