import type { Address } from './seam.ts'

/** What a consumer needs on the broker, as data. */
export interface Topology {
  readonly channels: readonly WantedChannel[]
}

export interface WantedChannel {
  readonly address: Address
  readonly role: 'work' | 'dead-letter' | 'invalid'
  /** Where the broker itself sends what it gives up on: rejected, expired, delivered too often. */
  readonly deadLetterTo?: Address
  /** Turns the policy allows; a native limit must leave room above it, since releases may count there too. */
  readonly maxTurns?: number
  /** The longest delay that a retry may ask for. Milliseconds. */
  readonly maxRetryDelay?: number
  /** Messages older than this expire into `deadLetterTo`. Milliseconds. */
  readonly ttl?: number
  /** Whether messages of one key must stay in order. */
  readonly lanes?: boolean
}

export interface Finding {
  /**
   * `missing`: it is not there, and `apply` would create it. `fatal`: a failing message could be lost. `warning`: it works, with
   * a risk that the message names. `unknown`: it cannot be seen from here, so it is not said to be fine. `created`: `apply` made it
   * just now.
   */
  readonly severity: 'missing' | 'fatal' | 'warning' | 'unknown' | 'created'
  readonly address: Address
  /** A stable word for what was found, such as `channel-missing` or `ttl-differs`. */
  readonly what: string
  /** One sentence that says what is wrong and what to do about it. */
  readonly message: string
}
