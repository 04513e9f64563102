import type { Alert } from '../core/alerts/monitor/alert.ts'
import type { SendOutcome } from '../outgoing/send-outcome.ts'

/** A way to tell people. `mail` and `webhook` are two; anything with a `send` is one. */
export interface Notifier {
  /** What log lines call it. Never a secret. */
  readonly name: string
  /** Finds out at start what would otherwise be found out by the first alert, such as a library that is not installed. */
  prepare?(): Promise<void>
  /**
   * Tells what became of the alert. Whatever it throws counts as a failure that may pass. `signal` aborts when it takes too long. An
   * alert may be sent again although it arrived; its `id` and `status` are the same then.
   */
  send(alert: Alert, signal: AbortSignal): Promise<SendOutcome>
}
