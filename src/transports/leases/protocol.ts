import type { Envelope } from '../../core/envelope.ts'
import type { RedriveError } from '../../core/errors.ts'

/**
 * What a receiver and a settlement ask of a store whose messages are rows that are leased: the same words for every database.
 */

/** Which delivery of which message: `fence` is the number of that delivery, so a later one makes it void. */
export interface Hold {
  readonly id: number
  readonly fence: number
}

/** Every settlement but `complete`, which has a shorter way. */
export type SettleJob =
  /** `counted`: the turn was counted when the delivery was handed out. */
  | { readonly kind: 'retry'; readonly hold: Hold; readonly counted: boolean; readonly delay: number; readonly envelope?: string }
  /** `unseen`: it was claimed ahead and never given to anybody, so that not even the delivery counts. */
  | {
      readonly kind: 'release'
      readonly hold: Hold
      readonly suspect: boolean
      readonly counted: boolean
      readonly unseen: boolean
    }
  | { readonly kind: 'reject'; readonly hold: Hold; readonly content: Content }
  | { readonly kind: 'move'; readonly hold: Hold; readonly to: string; readonly content: Content; readonly delay: number }

export type SettleJobOf<Kind extends SettleJob['kind']> = Extract<SettleJob, { readonly kind: Kind }>

/** A message as it will be stored. */
export interface Content {
  readonly envelope: string
  /** `undefined`: the body of the message that is being moved. */
  readonly body: Uint8Array | null | undefined
  readonly key: string | Uint8Array | undefined
}

/** A message as it was stored. */
export interface Stored {
  readonly envelope: Envelope
  readonly body: Uint8Array | null
}

export interface Claim {
  readonly channel: number
  readonly max: number
  /** Until when the lease lasts, on our clock. */
  readonly until: number
  /**
   * Whether a suspect may come. `alone`: somebody asks for it with nothing else in hand, and its turn counts at once. `beside-others`: it
   * waited for that in vain; should this process die, nobody knows of whom, and so its turn does not count.
   */
  readonly suspects: 'withhold' | 'beside-others' | 'alone'
}

/** Deliveries as columns: ten times cheaper to clone than as many objects. */
export interface Claimed {
  readonly ids: readonly number[]
  /** What they are called outside of this process, where that is not simply the id. */
  readonly positions?: readonly string[]
  readonly deliveries: readonly number[]
  readonly turns: readonly number[]
  readonly sentAt: readonly number[]
  readonly lanes: readonly (string | null)[]
  readonly stored: readonly Stored[]
  /** It was handed out before and nobody recorded what became of it; then it is the only one. */
  readonly suspect: boolean
  /** The next one is a suspect, and was not wanted. */
  readonly withheld: boolean
  /** When something that is not claimable now will be, if nobody does anything; on our clock. */
  readonly nextAt: number | null
}

export interface PendingClaim {
  readonly request: Claim
  resolve(claimed: Claimed): void
  reject(error: RedriveError): void
}

/** The store as a receiver sees it. */
export interface LeaseStore {
  perform(job: SettleJobOf<'release'>): Promise<unknown>
  /** Somebody has a claim to make: it will be collected soon. */
  wake(): void
  /** The same at once: so the store claims the next messages while the consumer handles these. */
  claimNow(): void
}
