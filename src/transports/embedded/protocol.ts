import type { Result, WireError } from '../../platform/sqlite/wire.ts'
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

/** Which delivery of which message: `fence` is the number of that delivery, so a later one makes it void. */
export interface Hold {
  readonly id: number
  readonly fence: number
}

export type Job =
  | { readonly kind: 'send'; readonly to: string; readonly content: Content; readonly delay: number; readonly dedupId?: string }
  /** `counted`: the turn was counted when the delivery was handed out. */
  | { readonly kind: 'retry'; readonly hold: Hold; readonly counted: boolean; readonly delay: number; readonly envelope?: string }
  /** `unseen`: it was claimed ahead and never given to anybody, so that not even the delivery counts. */
  | { readonly kind: 'release'; readonly hold: Hold; readonly counted: boolean; readonly unseen: boolean }
  | { readonly kind: 'reject'; readonly hold: Hold; readonly content: Content }
  | { readonly kind: 'move'; readonly hold: Hold; readonly to: string; readonly content: Content; readonly delay: number }
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

export interface Content {
  readonly envelope: string
  /** `undefined`: the body of the message that is being moved. */
  readonly body: Uint8Array | null | undefined
  readonly key: string | Uint8Array | undefined
}

export interface Claim {
  readonly channel: number
  readonly max: number
  readonly until: number
  /** Whether a suspect may come: its turn counts at once, so only when somebody asks for it with nothing else in hand. */
  readonly suspects: boolean
}

/** Deliveries as columns: ten times cheaper to clone than as many objects. */
export interface Claimed {
  readonly ids: readonly number[]
  readonly deliveries: readonly number[]
  readonly turns: readonly number[]
  readonly sentAt: readonly number[]
  readonly lanes: readonly (string | null)[]
  readonly contents: Contents
  /** It was handed out before and nobody recorded what became of it; then it is the only one. */
  readonly suspect: boolean
  /** The next one is a suspect, and was not wanted. */
  readonly withheld: boolean
  /** When something that is not claimable now will be, if nobody does anything. */
  readonly nextAt: number | null
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
  readonly claims: readonly Result<Claimed>[]
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
