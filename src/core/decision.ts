import type { FailureClass, Reason } from './failure.ts'

/** What `decide` needs to know about one delivery. Plain numbers, so that every row of every table is a one-line test. */
export interface Situation {
  /** The number of this turn: 1 for the first, earlier copies included. */
  readonly attempt: number
  /** Handler runs already made in this turn; when a run has just failed, that one included. */
  readonly runs: number
  /** The broker's own number. */
  readonly deliveries: number
}

/** What is to become of a delivery, before anybody asks how the broker does it. */
export type Decision =
  | { readonly kind: 'run' }
  | { readonly kind: 'complete' }
  /** Back to the broker, uncounted: a shutdown or a lost hold, never a failure. */
  | { readonly kind: 'release' }
  | { readonly kind: 'retry'; readonly delay: number }
  | { readonly kind: 'bury'; readonly grave: Grave; readonly reason: Reason }
  /** The user said so: completed without a letter. */
  | { readonly kind: 'discard'; readonly reason: Reason }

/** `nowhere` exists only where the user wrote `deadLetter: 'none'`: warn, then complete (seed 004). */
export type Grave = 'dead-letter' | 'invalid' | 'nowhere'

/** Which graves a channel has. */
export interface Graves {
  readonly deadLetter: boolean
  readonly invalid: boolean
}

/** How a run ended. */
export type Outcome =
  | { readonly kind: 'succeeded' }
  /** `delay`: what failed knows when it is worth trying again (a Retry-After); it replaces the backoff and immediate runs. */
  | { readonly kind: 'failed'; readonly class: FailureClass; readonly reason?: Reason; readonly delay?: number }
  /** The handler said what is to happen; this wins over everything that it threw. */
  | { readonly kind: 'asked'; readonly for: Asked }

export type Asked =
  | { readonly kind: 'retry'; readonly delay?: number }
  | { readonly kind: 'dead-letter'; readonly reason?: Reason }
  | { readonly kind: 'invalid'; readonly reason?: Reason }
  | { readonly kind: 'discard'; readonly reason?: Reason }

/** One thing to be done to the broker. Steps run in order and stop at the first failure, so nothing is completed before its copy is durable. */
export type Step =
  | { readonly kind: 'complete' }
  | { readonly kind: 'release' }
  | { readonly kind: 'retry'; readonly delay: number }
  | { readonly kind: 'reject' }
  /** One atomic step. */
  | { readonly kind: 'move'; readonly to: Destination; readonly delay: number }
  /** Confirmed before the next step starts. */
  | { readonly kind: 'send'; readonly to: Destination; readonly delay: number }

/** `self` is the channel that the delivery came from: a retry by copy. */
export type Destination = 'self' | 'dead-letter' | 'invalid'
