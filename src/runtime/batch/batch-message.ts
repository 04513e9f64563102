import type { Asked } from '../../core/decision.ts'
import { type Duration, parseDuration } from '../../core/duration.ts'
import type { Reason } from '../../core/failure.ts'
import type { Context } from '../context.ts'
import type { BatchOutcome, Said } from './answer.ts'

/** What is known about one message of a batch. To stop is a matter of the whole batch, and outcomes are returned, not thrown. */
export type MessageContext = Omit<Context, 'signal' | 'retry' | 'deadLetter' | 'invalid' | 'discard'>

/** One message of a batch. Its outcomes count only when the handler returns them. */
export interface BatchMessage<T> {
  readonly value: T
  readonly context: MessageContext
  done(): BatchOutcome
  /** It failed with this error, as if a handler of its own had thrown it. */
  failed(error: unknown): BatchOutcome
  retry(options?: { readonly delay?: Duration }): BatchOutcome
  deadLetter(reason?: Reason, description?: string): BatchOutcome
  invalid(description?: string): BatchOutcome
  /** Complete without a letter. */
  discard(reason?: Reason): BatchOutcome
}

/** What a batch handler is given besides its messages. */
export interface BatchContext {
  readonly channel: string
  /** Aborts on timeout, on shutdown, and when none of the messages is ours any more. */
  readonly signal: AbortSignal
}

/** Takes messages of one type and returns what became of each. Whatever it does not mention has failed. */
export type BatchHandler<T> = (
  messages: readonly BatchMessage<T>[],
  batch: BatchContext,
) => Iterable<BatchOutcome> | Promise<Iterable<BatchOutcome>>

const done: Said = { kind: 'done' }

export function createBatchMessage<T>(value: T, context: MessageContext): BatchMessage<T> {
  const outcome = (said: Said): BatchOutcome => ({ of: message, said })
  const asked = (what: Asked, description?: string): BatchOutcome =>
    outcome({ kind: 'asked', for: what, ...(description !== undefined && { description: String(description) }) })
  const message: BatchMessage<T> = {
    value,
    context,
    done: () => outcome(done),
    failed: (error) => outcome({ kind: 'failed', error }),
    retry: ({ delay } = {}) =>
      asked({ kind: 'retry', ...(delay !== undefined && { delay: parseDuration(delay, 'retry delay') }) }),
    deadLetter: (reason, description) => asked({ kind: 'dead-letter', ...reasonIf(reason) }, description),
    invalid: (description) => asked({ kind: 'invalid' }, description),
    discard: (reason) => asked({ kind: 'discard', ...reasonIf(reason) }),
  }
  return message
}

function reasonIf(reason: Reason | undefined): { readonly reason?: Reason } {
  return reason === undefined ? {} : { reason: String(reason) }
}
