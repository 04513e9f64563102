import { type Duration, parseDuration } from './duration.ts'
import type { FailureClass, Reason } from './failure.ts'

/**
 * An error that carries its class under this symbol needs no rule: the call site that threw it knew. The symbol is registered,
 * so that two copies of this package in one process agree, and so that anybody's own error can carry it.
 */
export const classTag: unique symbol = Symbol.for('redrive.class')

export interface TagOptions {
  readonly cause?: unknown
  /** Kept as the reason of the dead letter. */
  readonly reason?: Reason
}

/** Trying again may help; `delay` says when, in place of the backoff. It still uses the budget of retries. */
export class RetryableError extends Error {
  readonly delay: number | undefined

  constructor(message: string, options?: { readonly cause?: unknown; readonly delay?: Duration }) {
    super(message, options)
    this.name = 'RetryableError'
    tag(this, 'retryable')
    this.delay = options?.delay === undefined ? undefined : parseDuration(options.delay, 'RetryableError: delay')
  }
}

/** Trying again cannot help: the message goes to the dead-letter channel at once. */
export class PermanentError extends Error {
  readonly reason: Reason | undefined

  constructor(message: string, options?: TagOptions) {
    super(message, options)
    this.name = 'PermanentError'
    tag(this, 'permanent')
    this.reason = options?.reason
  }
}

/** The message itself is wrong: it goes to the invalid channel where there is one. */
export class InvalidMessageError extends Error {
  readonly reason: Reason | undefined

  constructor(message: string, options?: TagOptions) {
    super(message, options)
    this.name = 'InvalidMessageError'
    tag(this, 'invalid')
    this.reason = options?.reason
  }
}

/** Not enumerable, so that loggers that print every property leave it out. */
function tag(error: Error, itsClass: FailureClass): void {
  Object.defineProperty(error, classTag, { value: itsClass })
}
