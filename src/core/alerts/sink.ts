import type { Notification } from './notification.ts'

/** A way to tell people, as far as it has to be known to decide who is told what. Its name is what deliveries wait under. */
export interface Sink {
  readonly name: string
  /** The receiver keeps what fires until it hears of the end. It is told everything: a summary of several groups would end none of them. */
  readonly keepsState?: boolean
  /** Whether this one is for it: routes go by severity, source and owner. */
  takes(notification: Notification): boolean
}
