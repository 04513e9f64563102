import type { Measurement } from './sample.ts'

/** When a rule holds, as data. Each kind has a file of its own that judges it. */
export type Condition =
  | LevelCondition
  | GrowthCondition
  | RatioCondition
  | IncreaseCondition
  | SpikeCondition
  | NotShrinkingCondition
  | FailingProbeCondition
  | BrokerDownCondition
  | { readonly kind: 'no-consumer' }
  | { readonly kind: 'always' }

/** A measurement beyond a limit; it is clear again only beyond `clear`, where that is given. */
export interface LevelCondition {
  readonly kind: 'level'
  readonly of: Measurement
  readonly is: 'above' | 'below'
  readonly limit: number
  readonly clear?: number
}

/** More letters have come than have gone: above a limit, or above a multiple of what is usual, in a window. */
export interface GrowthCondition {
  readonly kind: 'growth'
  readonly window: number
  readonly limit: number
  readonly timesUsual: number
  /** How far back the usual is looked for. */
  readonly usualOver: number
  /** A multiple of nearly nothing is nothing. */
  readonly floor: number
}

/** One counter as a share of another, above a limit in every window. */
export interface RatioCondition {
  readonly kind: 'ratio'
  readonly of: Measurement
  readonly to: Measurement
  readonly limit: number
  readonly windows: readonly number[]
  /** Below so many in a window its share says nothing. */
  readonly minSamples: number
}

/** A counter grew by more than a limit in a window. */
export interface IncreaseCondition {
  readonly kind: 'increase'
  readonly of: Measurement
  readonly limit: number
  readonly window: number
}

/** Letters of one cause: a new one came often, or a known one far more often than it used to. */
export interface SpikeCondition {
  readonly kind: 'spike'
  readonly window: number
  /** So many letters of a cause without a past. */
  readonly newAtLeast: number
  readonly timesUsual: number
  /** So many at least of one that has a past. */
  readonly floor: number
}

/** A measurement is above 0 and has not become smaller than it was, for as long as the window. */
export interface NotShrinkingCondition {
  readonly kind: 'not-shrinking'
  readonly of: Measurement
  readonly window: number
}

export interface FailingProbeCondition {
  readonly kind: 'failing-probe'
  readonly inARow: number
}

/** Every source of a connection failed when it was last looked at, and one of them so often in a row. */
export interface BrokerDownCondition {
  readonly kind: 'broker-down'
  readonly inARow: number
}
