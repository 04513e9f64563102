import type { Routed } from './route.ts'

/** A way to tell people, as far as it has to be known to decide who is told what. Its name is what deliveries wait under. */
export interface Sink {
  readonly name: string
  /** The receiver keeps what fires until it hears of the end. It is told everything: a summary of several groups would end none of them. */
  readonly keepsState?: boolean
  /** Whether this one is for it: routes go by severity, source, owner and rule. What says something about several goes where one of them is for it. */
  takes(alert: Routed): boolean
}
