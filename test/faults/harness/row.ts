import type { Broker, StartOptions } from '../../../scripts/brokers/start.ts'
import type { FaultyWay } from '../../../scripts/brokers/toxiproxy.ts'
import type { Verdict } from '../ledger.ts'

/** One fault on a real server, and what the observers say afterwards. */
export interface Row {
  readonly name: string
  /** How much of all messages it gets, compared with other rows; as much as any unless told. */
  readonly weight?: number
  /** Rows that take long, or repeat another on other queues, stand in the long form only. */
  readonly longOnly?: boolean
  /**
   * `safe`: nothing may be lost. `twin`: a planted bug, and the observers must see that it loses. `broker`: a setting with which the broker
   * loses by itself, and `peer`: another library; what they lost is printed and fails nothing.
   */
  readonly kind: 'safe' | 'twin' | 'broker' | 'peer'
  /** Whether it is judged by its order, where that is not as for all rows of its server. */
  readonly claimsOrder?: boolean
  /** How a twin is seen, where it does not lose: whether the observers caught it. */
  readonly isCaught?: (result: RowResult) => boolean
  run(world: World, messages: number): Promise<RowResult>
}

export type RowResult = Judged | NotRun

export interface Judged {
  readonly verdict: Verdict
  readonly complaints: readonly string[]
  readonly note?: string
}

export interface NotRun {
  readonly notRun: string
}

/** What rows are played in. */
export interface World {
  /** Shared by rows that leave it alone. */
  readonly calm: Broker
  /** For one row that kills or freezes it. */
  disturbed(options?: StartOptions): Promise<Broker>
  /** A way to the calm broker that can be cut; a reason where there is no Toxiproxy. */
  faultyWay(): Promise<FaultyWay | NotRun>
  readonly isSmoke: boolean
}
