import type { Notification } from '../core/alerts/notification.ts'
import type { Sink as Listener } from '../core/alerts/sink.ts'
import type { SendOutcome } from '../outgoing/send-outcome.ts'

/** A way to tell people that the configuration names. */
export interface Sink extends Listener {
  readonly kind: string
  /** Where it goes, as far as that is no secret: the host of a URL, and never its path. */
  readonly target: string
  /** The receiver keeps what fires until it hears of the end: a test has to end, too. */
  readonly keepsState: boolean
  /** Finds out at start what would otherwise be found out by the first alert. */
  prepare?(): Promise<void>
  /** Tells what became of it. What it throws counts as a failure that may pass. */
  send(notification: Notification, signal: AbortSignal): Promise<SendOutcome>
}
