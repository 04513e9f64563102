import type { Asked } from '../core/decision.ts'
import { type Duration, parseDuration } from '../core/duration.ts'
import type { Reason } from '../core/failure.ts'
import type { Message } from '../core/message.ts'
import type { ContextHost } from './context-host.ts'
import type { Logger } from './logger.ts'
import type { Turn } from './turn.ts'

/** What a handler is given besides the value. */
export interface Context {
  readonly channel: string
  /** The number of this turn, from 1. */
  readonly attempt: number
  /** Handler runs that this message had before this one: 0, 1, 2, … */
  readonly retryCount: number
  /** The broker's own count, as evidence. */
  readonly deliveries: number
  readonly correlationId: string
  /** The message as it came: bytes, headers, key. */
  readonly message: Message
  /** It was sent back by a replay. */
  readonly replayed: boolean
  /** Aborts on timeout, on shutdown and when the message is no longer ours. */
  readonly signal: AbortSignal
  /** Carries message id, correlation id and channel. */
  readonly logger: Logger
  /** Keeps the message ours for another while, beyond what the runtime does by itself. */
  extend(duration: Duration): Promise<void>
  /** Deliver again later. Throws; the first outcome asked for counts, even when the throw is caught. */
  retry(options?: { delay?: Duration }): never
  deadLetter(reason?: Reason, description?: string): never
  invalid(description?: string): never
  /** Complete without a letter. */
  discard(reason?: Reason): never
}

/** Thrown by the explicit outcomes, so that a handler stops where it asked. Made once each: a stack trace would cost more than a letter. */
class OutcomeRequested extends Error {
  constructor(kind: Asked['kind']) {
    super(`the handler asked for: ${kind}`)
    this.name = 'OutcomeRequested'
  }
}

const requested: Readonly<Record<Asked['kind'], OutcomeRequested>> = {
  retry: new OutcomeRequested('retry'),
  'dead-letter': new OutcomeRequested('dead-letter'),
  invalid: new OutcomeRequested('invalid'),
  discard: new OutcomeRequested('discard'),
}

/** One is made for every run. What most handlers never touch is made when it is touched. */
export class HandlerContext implements Context {
  readonly attempt: number
  readonly retryCount: number
  /** What the handler asked for first, and how it described it. */
  asked: Asked | undefined
  description: string | undefined
  /** It asked only after we had told it to stop: what a handler does then says nothing about the message. */
  askedTooLate = false
  readonly #turn: Turn
  readonly #host: ContextHost
  #controller: AbortController | undefined
  #abortReason: unknown

  constructor(turn: Turn, host: ContextHost, retryCount: number) {
    this.#turn = turn
    this.#host = host
    this.attempt = turn.attempt
    this.retryCount = retryCount
  }

  get channel(): string {
    return this.#host.channel
  }
  get deliveries(): number {
    return this.#turn.delivery.deliveries
  }
  get message(): Message {
    return this.#turn.delivery.message
  }
  get replayed(): boolean {
    return this.#turn.replayed
  }
  get correlationId(): string {
    return this.#host.correlationId(this.#turn)
  }
  get logger(): Logger {
    return this.#host.logger.child({ channel: this.channel, messageId: this.message.id, correlationId: this.correlationId })
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      this.#host.wantsSignal(this.#turn)
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason)
    }
    return this.#controller.signal
  }

  abort(reason: Error): void {
    this.#abortReason ??= reason
    this.#controller?.abort(reason)
  }

  extend(duration: Duration): Promise<void> {
    return this.#host.extend(this.#turn, parseDuration(duration, 'ctx.extend'))
  }

  retry(options?: { delay?: Duration }): never {
    const delay = options?.delay
    return this.#ask(delay === undefined ? { kind: 'retry' } : { kind: 'retry', delay: parseDuration(delay, 'ctx.retry delay') })
  }
  deadLetter(reason?: Reason, description?: string): never {
    return this.#ask({ kind: 'dead-letter', ...asText(reason) }, description)
  }
  invalid(description?: string): never {
    return this.#ask({ kind: 'invalid' }, description)
  }
  discard(reason?: Reason): never {
    return this.#ask({ kind: 'discard', ...asText(reason) })
  }

  /** Gives what is to be thrown. */
  ask(asked: Asked, description?: string): Error {
    if (!this.asked) {
      this.asked = asked
      this.description = description === undefined ? undefined : String(description)
      this.askedTooLate = this.#turn.cancelled
    }
    return requested[asked.kind]
  }

  #ask(asked: Asked, description?: string): never {
    throw this.ask(asked, description)
  }
}

/** Whether its handler asked for something else than to be done, also where it caught what asking throws. */
export function hasAsked(context: Context): boolean {
  return context instanceof HandlerContext && context.asked !== undefined
}

/** Handlers make reasons from whatever is at hand. What has no text throws here, inside the handler that gave it. */
function asText(reason: Reason | undefined): { readonly reason?: Reason } {
  return reason === undefined ? {} : { reason: String(reason) }
}
