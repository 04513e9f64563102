import type { Result, WireError } from '../../platform/sqlite/wire.ts'
import type { Claim, Claimed, Content, Hold, SettleJob } from '../leases/protocol.ts'
import type { Finding, Topology } from '../topology.ts'

/**
 * What the transport and its two workers say to each other. Everything asked for in one turn of the event loop travels as one
 * batch, becomes one transaction and comes back as one reply; nothing in here is a class, so that a structured clone is all
 * that it costs.
 */

/** What a worker needs to know to start. */
export interface WorkerSettings {
  readonly role: 'writer' | 'reader'
  readonly file: string
  /** How long a transaction waits for another process. Milliseconds. */
  readonly busyTimeout: number
  /** `normal` exists for the test that shows what it loses. */
  readonly durability: 'full' | 'normal'
}

export interface WriteBatch {
  /** Wall time on the transport's clock: workers have no clock of their own. */
  readonly now: number
  /** Pairs of id and fence: the one settlement that is on everybody's path, packed. */
  readonly completes: Float64Array
  readonly jobs: readonly Job[]
  readonly claims: readonly Claim[]
  /** Whether to say if another process wrote something since the last time. */
  readonly poll: boolean
}

export type Job =
  | { readonly kind: 'send'; readonly to: string; readonly content: Content; readonly delay: number; readonly dedupId?: string }
  | SettleJob
  | { readonly kind: 'extend'; readonly hold: Hold; readonly until: number }
  | { readonly kind: 'remove'; readonly channel: string; readonly id: number }
  /** Which of these are no longer ours. */
  | { readonly kind: 'audit'; readonly holds: readonly Hold[] }
  | { readonly kind: 'find'; readonly channel: string }
  | { readonly kind: 'provision'; readonly wanted: Topology }
  /** Expires what is too old and forgets what need not be remembered. Tells whether there is more to do. */
  | { readonly kind: 'sweep' }

export type JobOf<Kind extends Job['kind']> = Extract<Job, { readonly kind: Kind }>

/** What each job answers. */
export interface Answers {
  send: { readonly id: number; readonly duplicate: boolean }
  retry: undefined
  release: undefined
  reject: undefined
  move: undefined
  extend: undefined
  remove: boolean
  audit: readonly Hold[]
  find: number
  provision: readonly Finding[]
  sweep: boolean
}

/** What a claim brings, with its contents in one piece each for the way between threads. */
export interface PackedClaim extends Omit<Claimed, 'stored'> {
  readonly contents: Contents
}

/** Of many messages in one piece each. */
export interface Contents {
  /** The text of a JSON list. */
  readonly envelopes: string
  /** -1 for a null body. */
  readonly lengths: readonly number[]
  readonly bodies: Uint8Array<ArrayBuffer>
}

export interface WriteReply {
  /** One for each pair of `completes`; absent when all of them succeeded. */
  readonly completes?: readonly (WireError | null)[]
  readonly results: readonly Result[]
  readonly claims: readonly Result<PackedClaim>[]
  /** Channels in which something may have become claimable. */
  readonly ready: readonly number[]
  readonly foreignWrites: boolean
  /** How many transactions that took; more than one only when the first failed and its requests were tried apart. */
  readonly commits: number
}

export type Query =
  | { readonly kind: 'browse'; readonly channel: string; readonly after: number; readonly limit: number }
  | { readonly kind: 'measure'; readonly channel: string }
  | { readonly kind: 'check'; readonly wanted: Topology }

export interface QueryAnswers {
  browse: BrowsedPage
  measure: { readonly retained: number; readonly oldestAt: number | null }
  check: readonly Finding[]
}

export interface BrowsedPage {
  readonly ids: readonly number[]
  readonly deliveries: readonly number[]
  readonly sentAt: readonly number[]
  readonly contents: Contents
  readonly more: boolean
}
