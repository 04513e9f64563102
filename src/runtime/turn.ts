import type { FailedRun } from '../core/failed-runs.ts'
import type { Failure } from '../core/failure.ts'
import { countHeader, header } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Message } from '../core/message.ts'
import type { Forbidden } from '../core/quotes.ts'
import type { Delivery } from '../transports/seam.ts'
import type { HandlerContext } from './context.ts'
import type { Lane } from './lanes.ts'
import type { Route } from './routes.ts'

/**
 * One delivery in our hands, from take to settlement. A turn goes
 *
 *   waiting → running → settling → gone
 *      ⇅             ↘ held (its dead-letter channel is down) ↗
 *   parked (the breaker is open)
 *
 * and may be fenced at any point: then it is not ours any more (hold lost, released at shutdown, overlapped because it was stuck),
 * and whatever its handler still does changes nothing.
 *
 * With a batch handler it also waits inside its run: see `batch/member.ts`.
 *
 * It is a class with plain fields, and a link of two lists itself, because one is made for every message.
 */
export class Turn {
  readonly delivery: Delivery
  readonly route: Route
  /** The number of this turn, earlier copies included. */
  readonly attempt: number
  readonly replayed: boolean
  state: 'waiting' | 'running' | 'settling' | 'held' | 'parked' | 'gone' = 'waiting'
  /** Not ours any more: nothing may be settled. */
  fenced = false
  /** Whatever its handler still does changes nothing. */
  over = false
  /** Handler runs made in this turn, the current one included. */
  runs = 0
  /** Monotonic milliseconds: when the current run began, and when the first one did. */
  runStartedAt = 0
  startedAt = 0
  /** Monotonic milliseconds: since when it is held or parked. */
  heldSince = 0
  heldUntil: number
  /** Monotonic milliseconds: when to renew the hold; 0 while nobody has looked. */
  renewAt = 0
  timedOut = false
  /** The broker is being told what became of it: until it has answered, only that answer says whose it is. */
  isBeingSettled = false
  /** We told the handler to stop because the consumer stops. */
  cancelled = false
  /** Its run ended before any handler had it: see `outage.ts`. */
  isPutOff = false
  /** It runs alone. */
  suspect: boolean
  /** Counted among those that a suspect waits for. */
  inTheWay = false
  /** What a retry by copy sends, where that is not the message with one turn more. */
  copy: Message | undefined
  correlationId: string | undefined
  context: HandlerContext | undefined
  failure: Failure | undefined
  /** Once a run has failed: that one, and those of earlier turns as far as they are known. */
  failedRuns: readonly FailedRun[] | undefined
  /** The id of its letter, once somebody has asked for it. */
  letter: string | undefined
  /** The line of those with its key, where there is an order. */
  lane: Lane | undefined
  /** The decoded body, where it had to be decoded before the run to find the lane. */
  decoded: { readonly value: unknown } | undefined
  /** What no text about it may quote, where that is more than the message as it came. */
  forbidden: Forbidden | undefined
  /** Its neighbours among all that are in hand. */
  next: Turn | undefined
  previous: Turn | undefined
  nextDue: Turn | undefined
  previousDue: Turn | undefined

  get inHand(): boolean {
    return this.state !== 'gone'
  }

  constructor(delivery: Delivery, route: Route) {
    const { headers } = delivery.message
    this.delivery = delivery
    this.route = route
    this.suspect = delivery.suspect
    this.heldUntil = delivery.heldUntil
    // Most messages have no headers of ours, and many have none at all: look only where there is something.
    this.attempt = delivery.turns + 1 + (headers.length === 0 ? 0 : (countHeader(headers, redriveHeaders.attempts) ?? 0))
    this.replayed = headers.length > 0 && header(headers, redriveHeaders.replay) !== undefined
  }
}
