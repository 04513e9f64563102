import type { Clock } from '../../core/ports.ts'
import type { Address, Transport } from '../seam.ts'

/** A transport under test, together with what the suite must know about the broker behind it. */
export interface Subject {
  /** The transport's name in the table of required capabilities. */
  readonly name: string
  /** What tells it from other subjects of the same transport: a version, a type of queue. Default: the name. */
  readonly label?: string
  /** A fresh connection to the same broker, as another process would make one. */
  open(): Promise<Transport>
  /** A connection that can be made to die. */
  openFragile(): Promise<Fragile>
  /** Stops the broker without warning and starts it again, where that can be done. */
  restart?(): Promise<void>
  /** The shortest hold that the broker knows, in milliseconds. */
  readonly shortHold: number
  /** The shortest delay that the broker knows. Default: `shortHold`. */
  readonly shortDelay?: number
  /** After so many milliseconds without a delivery there is none: a little above the broker's slowest reaction. */
  readonly quiet: number
  /** How long the suite waits for what must happen. Default: a minute. */
  readonly patience?: number
  /** The group or subscription to receive with, where the broker has such a thing. */
  readonly group?: string
  /** Where a channel's dead letters go, when the broker leaves no choice (Azure Service Bus). */
  readonly deadLetterOf?: (work: Address) => Address
  /** Default: the real one. */
  readonly clock?: Clock
  /** Called after the last scenario. */
  close?(): Promise<void>
}

export interface Fragile {
  readonly transport: Transport
  /** From now on the broker hears nothing from this connection; nothing that it held was settled or released. */
  crash(): Promise<void>
}
