import type { CauseParts } from '../core/fingerprint/fingerprint.ts'

/** A dead letter as it was found, read and made fit to be kept. Nothing but `envelope` and `body` holds anything of the payload. */
export interface Arrival {
  readonly identity: Identity
  readonly cause: { readonly fingerprint: string; readonly title: string; readonly parts: CauseParts }
  /** Whether the broker's copy stays where it is (`follow`) or is completed once this is durable (`collect`). */
  readonly broker: 'kept' | 'completing'
  /** Where the message came from, as far as anybody said. */
  readonly channel: string
  readonly group?: string
  readonly originPosition?: string
  readonly dialect: string
  readonly confidence: string
  readonly reason?: string
  readonly errorType?: string
  readonly errorMessage?: string
  readonly messageId?: string
  readonly type?: string
  readonly key?: string
  readonly correlationId?: string
  readonly service?: string
  readonly version?: string
  /** What all copies and all generations of it have in common, where a consumer or a replay of ours wrote that. */
  readonly letter?: string
  readonly generation: number
  /** The replay that it comes back from. */
  readonly replay?: number
  readonly attempts?: number
  readonly failedAt: number
  /** Where it lies on the broker. */
  readonly position?: string
  readonly envelope: string
  readonly body: Uint8Array | null
  /** What a search looks through. */
  readonly text: { readonly failure: string; readonly headers: string }
}

/**
 * Sixteen bytes that are the same whenever the same dead letter is found again. Where a broker has nothing of the kind, they are a hash of
 * what the letter holds, and two letters that are alike are two: only one that was `delivered before` may be one that was kept already.
 */
export type Identity =
  | { readonly kind: 'known'; readonly bytes: Uint8Array }
  | { readonly kind: 'alike'; readonly bytes: Uint8Array; readonly deliveredBefore: boolean; readonly drawn: Uint8Array }
