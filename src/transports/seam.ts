import type { Failure } from '../core/failure.ts'
import type { Headers, Message } from '../core/message.ts'
import type { Route } from '../core/route.ts'
import type { Capabilities } from './capabilities.ts'
import type { Finding, Topology } from './topology.ts'

/**
 * The seam: everything Redrive asks of a broker, in nine verbs. Transports hold no policy; they do what they are told, tell
 * what they see, and share broker round trips among calls that are made close together.
 *
 * Every verb rejects with a `RedriveError`. A verb the broker lacks rejects with `unsupported`, and `capabilities` says so
 * beforehand. After `close` every verb rejects with `closed`. No verb waits for ever on a broker that is silent: after a time
 * that is an option of the transport it rejects with `unsure`, or with `unreachable` when it certainly did nothing.
 */
export interface Transport {
  /** The registry's name: `embedded`, `rabbitmq`, … */
  readonly name: string
  readonly capabilities: Capabilities
  /** Where the dead letters of a channel of this group go when nobody says, where that is the custom of this broker. */
  readonly deadLetterFor?: (group: string | undefined, channel: string) => string | undefined
  /** Whether nobody but the broker writes to a channel of this name: then dead letters get there by `reject` alone. */
  readonly brokersOwn?: (channel: string) => boolean
  /** Where the broker routes messages by itself: which channels one would reach now. Without it nothing is sent `via` a route. */
  readonly reach?: (route: Route) => Promise<Reach>

  /**
   * Compares what is wanted with what is there. `check` changes nothing; `apply` creates what is missing and never deletes or
   * alters. Both tell every difference that remains. Applying twice is the same as applying once.
   */
  provision(wanted: Topology, mode: 'check' | 'apply'): Promise<readonly Finding[]>

  /** Starts to receive. Rejects with `unknown-channel` when the channel does not exist. */
  receive(address: Address, options: ReceiveOptions): Promise<Receiver>

  /**
   * Keeps a delivery ours for another `ms` from now, and tells until when. Rejects with `hold-lost` when it no longer is.
   * Where a hold cannot be made longer (RabbitMQ ends it half an hour after the delivery, SQS after twelve hours) it tells the
   * end as it is, which may be sooner than asked for; where nothing ends it but the loss of the connection or partition,
   * `Infinity`.
   */
  extend(delivery: Delivery, ms: number): Promise<number>

  /**
   * Resolves when the broker has taken the settlement, in whatever order the deliveries of a lane are settled. Where it answers
   * no settlement (AMQP 0-9-1), that is when something that it sent afterwards shows it. What it has taken may still
   * be forgotten when it crashes: then the message comes again.
   *
   * The first settlement that resolves wins: settling again, with the same or with another settlement, resolves and changes
   * nothing. Rejects with `hold-lost` when the delivery had been handed to somebody else before this call; then nothing was
   * settled, and the broker will deliver the message again. Rejects with `unsure` when the connection broke before the broker
   * answered, with `unreachable` when nothing was settled for want of a connection. After these two it may be settled again,
   * which works or rejects with `hold-lost`.
   */
  settle(delivery: Delivery, settlement: Settlement): Promise<void>

  /**
   * Resolves when the broker has confirmed that the message is durable and routed. Rejects with `refused`, `too-large`,
   * `bad-message`, `unknown-channel`, `unsupported`, `access-denied` or `unreachable` when certainly nothing was written, with `unsure` when that
   * is not known.
   * Sends to one address by one caller that awaits each are kept in order.
   */
  send(address: Address, message: Message, options?: SendOptions): Promise<Receipt>

  /** Looks without consuming. `capabilities.browse` says what looking does to the channel. Oldest first. */
  browse(address: Address, page: PageRequest): Promise<Page>

  /** Removes one message that is not held, by the position that `browse` gave. Tells whether it was there. */
  remove(address: Address, position: string): Promise<boolean>

  /** Counts. A probe that fails rejects; it never says 0. */
  measure(address: Address): Promise<Measure>

  /**
   * Flushes what was asked for before, closes every receiver (what they hold is released, uncounted where the broker can), and
   * lets go of the connection. Calling it again is the same as calling it once.
   */
  close(): Promise<void>
}

export interface Address {
  readonly name: string
  /**
   * The consumer group or subscription, where the broker has them. A send with a group reaches that group alone, or rejects with
   * `unsupported`: the copy of a retry or of a replay is no business of the others. A send without one reaches all of them.
   */
  readonly group?: string
  /** The sub-queue of a channel (Azure Service Bus). */
  readonly part?: 'dead-letter'
}

export interface ReceiveOptions {
  /**
   * How many deliveries may be ours ahead of what is asked for, given out and buffered together. A `take` gets what it asks for even
   * when more than that are in hand: who holds letters for a dead-letter channel that is down still wants the healthy ones behind them.
   */
  readonly prefetch: number
  /** How long a delivery is ours before it must be extended, where the broker has such a thing. Milliseconds. */
  readonly hold: number
}

export interface Receiver {
  /**
   * Waits until there is something, then gives at most `max` deliveries, in the broker's order within each lane. Resolves with
   * an empty list when `wait` milliseconds have passed or the receiver was closed; never rejects because of `close`. One call
   * at a time. Where `capabilities.counts` is `turns`, a suspect is handed out alone.
   *
   * `max` also says how much a broker that pushes may send: what is ours, given out and buffered together, grows to what is
   * unsettled plus `max` and no further. So a consumer that starts small is small at the broker too, and a crash makes suspects
   * of few messages.
   */
  take(max: number, wait: number): Promise<readonly Delivery[]>
  /** Aborts when this receiver is dead and will give nothing more: receive anew. Its reason is a `RedriveError`. */
  readonly lost: AbortSignal
  /**
   * Takes no more; what is held stays held, and can be settled, until the transport closes. Buffered deliveries that were
   * never given out are released. Calling it again is the same as calling it once.
   */
  close(): Promise<void>
}

/** A message in our hands until it is settled. */
export interface Delivery {
  readonly message: Message
  readonly address: Address
  /**
   * Where the message stands, the same on every delivery of it and unique in the channel; absent where the broker has no such thing.
   * On a log it ends in the partition and the offset, such as `orders/3/42`.
   */
  readonly position?: string
  /** What the broker keeps in order and hands to one consumer at a time: partition, session, message group. */
  readonly lane?: string
  /** The broker's own number, this delivery included; 1 where it keeps none. Evidence, never a decision. */
  readonly deliveries: number
  /**
   * Turns that this very copy is known to have had before this delivery: deliveries that ended in a recorded outcome, or that
   * were begun alone. Releases do not count. Turns of earlier copies travel in the header `redrive-attempts`. Where the broker
   * counts deliveries and retries natively, nobody records an outcome: it is then the broker's number less one, which may be too
   * high after releases and is never too low.
   */
  readonly turns: number
  /**
   * It was handed out before and nobody recorded what became of it: perhaps it killed its consumer. Never false for one that
   * did. Where `capabilities.counts` is not `turns`, the broker cannot tell a release, a native retry, or a delivery that was
   * only buffered from a crash: those come back as suspects too.
   */
  readonly suspect: boolean
  /** Epoch milliseconds on our clock; `Infinity` where nothing but the loss of the connection or the partition ends the hold. */
  readonly heldUntil: number
  /** When the broker first took the message, where it says so. Epoch milliseconds. */
  readonly enqueuedAt?: number
  readonly hold: Hold
}

/** Shared by all deliveries that are lost together: those of one lane, session or connection. */
export interface Hold {
  /** One delivery's alone, and its signal is made when somebody asks for it: then it is not worth watching for a quick handler. */
  readonly single?: boolean
  /** Aborts when the hold is lost. Handlers stop, buffered siblings are dropped, later settlements reject with `hold-lost`. */
  readonly signal: AbortSignal
}

export type Settlement =
  /** Done: the message leaves the channel. */
  | { readonly kind: 'complete' }
  /**
   * Deliver again after `delay`, rounded up to what the broker can measure and never before; counts as a turn. `headers` replace
   * those of the same names, where `capabilities.retry.headers`.
   */
  | { readonly kind: 'retry'; readonly delay: number; readonly headers?: Headers }
  /** Give back at once, as if it had never been taken; not a turn. */
  | { readonly kind: 'release' }
  /** The broker's own dead-lettering. */
  | { readonly kind: 'reject'; readonly failure: Failure }
  /** Durable at `to` and gone from here, in one atomic step; only where `capabilities.move` is `atomic`. */
  | { readonly kind: 'move'; readonly to: Address; readonly message: Message; readonly delay?: number }

export interface SendOptions {
  /** A second send with the same id within the broker's window is not written again; `capabilities.deduplication` says how long. */
  readonly dedupId?: string
  /** Milliseconds during which it is not delivered, at most `capabilities.delayedSend`; rounded up like that of a retry. */
  readonly delay?: number
  /**
   * By this route, and not straight to the address: it reaches whatever is bound there, perhaps others as well, perhaps not the address.
   * Rejects with `unknown-channel` when it reaches nothing. Only where the transport has `reach`.
   */
  readonly via?: Route
}

/** What is bound now; it may be otherwise when something is sent. */
export interface Reach {
  readonly channels: readonly string[]
  /** Why there may be others than these, as a sentence; absent where these are all. */
  readonly doubt?: string
}

export interface Receipt {
  /** Where it stands now, in the words of `Delivery.position`; absent where the broker does not say. */
  readonly position?: string
  /** The broker recognised `dedupId` and wrote nothing. */
  readonly duplicate: boolean
}

export interface PageRequest {
  readonly limit: number
  /** The `next` of the page before. */
  readonly after?: string
}

export interface Page {
  readonly messages: readonly Browsed[]
  /** Absent on the last page. */
  readonly next?: string
}

export interface Browsed {
  readonly message: Message
  /** What `remove` takes; absent where the broker has no such thing. */
  readonly position?: string
  readonly deliveries: number
  readonly enqueuedAt?: number
}

export interface Measure {
  /** Messages that exist in the channel, held and delayed ones included. */
  readonly retained: number
  /** Messages that are still to be processed; on a log, what lies beyond the reader's cursor. */
  readonly pending: number
  /** When the oldest of them came; absent when there is none or the broker cannot tell. Epoch milliseconds. */
  readonly oldestAt?: number
  /**
   * Both numbers leave out what other consumers hold, each for at most so many milliseconds: then an empty channel may still be worked on.
   * Absent where everything is counted.
   */
  readonly heldUnseen?: number
  /** Both numbers may be as they were so many milliseconds ago. Absent where they are of now. */
  readonly lateBy?: number
  /**
   * The broker drops a message so many milliseconds after it took it, processed or not, and moves it nowhere; at the earliest. Absent where it
   * does not, or where that cannot be seen.
   */
  readonly keepsFor?: number
  /** How many receivers take from it now, ours and those of others; absent where the broker cannot tell. */
  readonly consumers?: number
}
