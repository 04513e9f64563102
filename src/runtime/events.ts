import type { Grave } from '../core/decision.ts'
import type { FailureClass, Reason } from '../core/failure.ts'
import type { ReleaseReason } from './holding.ts'

/**
 * Everything that happens to a message, one event a step. No event holds a payload: texts are sanitised before they get here.
 */
export interface ConsumerEvents {
  started: { channels: readonly string[] }
  stopped: { released: number }
  received: MessageEvent
  completed: MessageEvent & { durationMs: number }
  /** One handler run failed; what becomes of the message is another event. */
  failed: FailureEvent & { run: number }
  retried: FailureEvent & { delayMs: number }
  /** It will be dead-lettered or put among the invalid; the broker has not taken it yet. */
  burying: FailureEvent & { grave: Grave }
  'dead-lettered': FailureEvent & { to: string; letter: string }
  invalid: FailureEvent & { to: string; letter: string }
  /** Completed without a letter, because the handler said so or the channel has `deadLetter: 'none'`. */
  discarded: FailureEvent & { asked: boolean }
  /** Given back uncounted. */
  released: MessageEvent & { why: ReleaseReason }
  /** The dead-letter or invalid channel did not take the letter; `held` deliveries wait for it. */
  'dead-letter-failed': FailureEvent & { to: string; error: string; answer: DeadLetterAnswer; held: number }
  /** The letter is durable in the spool, and its message is completed; once the channel has taken it, it is `dead-lettered`. */
  spooled: FailureEvent & { to: string; letter: string; depth: number }
  /** The spool could not be written or read. What could not be written is held instead. */
  'spool-failed': ChannelEvent & { error: string }
  /** At start: letters of an earlier process wait in the spool, or files that a person must look at. */
  'spool-found': ChannelEvent & { folder: string; depth: number; aside: number }
  /** A file of the spool is damaged, or holds a letter that its channel will never take; it is kept for a person. */
  'spool-set-aside': ChannelEvent & { file: string; why: string }
  'spool-drained': ChannelEvent
  /** It is not ours any more; whatever the handler did, the broker delivers it again. */
  'hold-lost': MessageEvent
  /** A settlement failed; the broker delivers the message again unless it took the settlement after all. */
  'settle-failed': MessageEvent & { error: string }
  /** The handler ran into its timeout; its signal has been aborted. */
  'timed-out': MessageEvent & { timeoutMs: number }
  /** The handler finished well, but after its timeout. */
  late: MessageEvent & { durationMs: number }
  /** The handler ignored its signal until `maxHold`. */
  stuck: MessageEvent & { answer: 'exit' | 'overlap'; heldMs: number }
  /** The event loop turns again, after so long; the handler that had begun last is the likeliest reason. Only with a watchdog. */
  blocked: { blockedMs: number; channel?: string; messageId?: string | undefined; correlationId?: string | undefined }
  /** A batch handler threw, so that nobody knows which of its messages failed: each of them is called again, alone. */
  'batch-split': ChannelEvent & { messageType: string; size: number; errorType: string }
  /** It was handed out before with no recorded outcome, and now runs alone. */
  suspect: MessageEvent
  paused: ChannelEvent & { why: 'asked' | 'max-held' }
  resumed: ChannelEvent
  /** Most messages fail in a way that another try may mend: the channel takes no more, and lets single ones through from now on. */
  'breaker-opened': ChannelEvent & { probeInMs: number }
  /** A message that was let through did not succeed; the next one is let through in a while. */
  'breaker-probed': MessageEvent & { failed: boolean; probeInMs: number }
  'breaker-closed': ChannelEvent & { openMs: number }
  'connection-lost': ChannelEvent & { error: string; retryInMs: number }
  'connection-restored': ChannelEvent
}

export type DeadLetterAnswer = 'hold' | 'drop' | 'spool'

export interface ChannelEvent {
  readonly channel: string
}

export interface MessageEvent extends ChannelEvent {
  readonly messageId: string | undefined
  readonly messageType: string | undefined
  readonly correlationId: string | undefined
  readonly attempt: number
  readonly deliveries: number
  /** It was sent back by a replay; tracked apart from fresh messages (seed 003). */
  readonly replayed: boolean
}

export interface FailureEvent extends MessageEvent {
  readonly reason: Reason
  readonly class: FailureClass
  readonly errorType: string
  readonly description: string
}

type Listener<E> = (event: E) => void
export type EventName = keyof ConsumerEvents

const everyEvent: Readonly<Record<EventName, true>> = {
  started: true,
  stopped: true,
  received: true,
  completed: true,
  failed: true,
  retried: true,
  burying: true,
  'dead-lettered': true,
  invalid: true,
  discarded: true,
  released: true,
  'dead-letter-failed': true,
  spooled: true,
  'spool-failed': true,
  'spool-found': true,
  'spool-set-aside': true,
  'spool-drained': true,
  'hold-lost': true,
  'settle-failed': true,
  'timed-out': true,
  late: true,
  stuck: true,
  blocked: true,
  'batch-split': true,
  suspect: true,
  paused: true,
  resumed: true,
  'breaker-opened': true,
  'breaker-probed': true,
  'breaker-closed': true,
  'connection-lost': true,
  'connection-restored': true,
}

/** For whoever wants to hear everything. */
export const eventNames: readonly EventName[] = Object.keys(everyEvent) as EventName[]

export interface Events {
  on<N extends EventName>(name: N, listener: Listener<ConsumerEvents[N]>): () => void
  /** Lets the hot path skip building an event that nobody hears. */
  heard(name: EventName): boolean
  emit<N extends EventName>(name: N, event: ConsumerEvents[N]): void
}

/** A listener that throws is told about and harms nobody: neither the message nor the other listeners. */
export function createEvents(listenerFailed: (name: EventName, error: unknown) => void): Events {
  const listeners = new Map<EventName, Set<Listener<never>>>()
  /** The logger may be what threw. */
  const tell = (name: EventName, error: unknown): void => {
    try {
      listenerFailed(name, error)
    } catch {}
  }
  return {
    on(name, listener) {
      const known = listeners.get(name) ?? new Set()
      listeners.set(name, known.add(listener))
      return () => {
        known.delete(listener)
        if (known.size === 0) listeners.delete(name)
      }
    },
    heard: (name) => listeners.has(name),
    emit(name, event) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          ;(listener as Listener<typeof event>)(event)
        } catch (error) {
          tell(name, error)
        }
      }
    },
  }
}
