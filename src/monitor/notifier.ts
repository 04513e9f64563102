import type { Alert } from '../core/alert.ts'

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

export type SendOutcome =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'failed'
      /** For the log: no secret, no answer of the other side. */
      readonly why: string
      /** Whether another try may help. */
      readonly retry: boolean
      /** Not before so many milliseconds, as the receiver asked. */
      readonly after?: number
    }

export const sent: SendOutcome = { kind: 'sent' }

export function notSent(why: string, retry: boolean, after?: number): SendOutcome {
  return { kind: 'failed', why, retry, ...(after !== undefined && { after }) }
}
