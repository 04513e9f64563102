import type { Clock } from '../core/ports.ts'
import type { Vault } from '../vault/vault.ts'
import { noted } from './noted.ts'
import { shredWords } from './shred-words.ts'

export interface Rekeying {
  readonly vault: Vault
  /** The id of the key that all of it is to have: the one that the vault was opened with. */
  readonly key: string
  /** Leaves nothing behind of what stood there in clear. */
  readonly scrub: () => Promise<void>
  readonly clock: Clock
  readonly actor: string
  readonly onNews?: (news: RekeyNews) => void
  /** Rows at a time, where that is not left to how large they are. */
  readonly most?: number
}

export interface RekeyNews {
  readonly doing: 'sealing' | 'wrapping'
  readonly table: 'letters' | 'edits' | 'keys'
  readonly done: number
  readonly all: number
}

export interface RekeyOutcome {
  /** The id of the key that everything has now. */
  readonly key: string
  /** What was sealed that had been clear, and how many letters only got another key for their own. */
  readonly letters: number
  readonly edits: number
  readonly keys: number
  /** Keys that no letter needs any more. */
  readonly retired: readonly string[]
  /** Whether the database was written anew, because something in it had been clear. */
  readonly scrubbed: boolean
}

/**
 * Gives every letter the current key: what is clear is sealed, and what another key has sealed keeps its own key, which is wrapped anew. A run that was
 * killed goes on when it is run again.
 */
export async function rekey({ vault, key, scrub, clock, actor, onNews = () => {}, most }: Rekeying): Promise<RekeyOutcome> {
  const entry = { actor, address: 'vault file', action: 'vault.rekey', object: key, detail: '{}' }
  return noted(vault, clock, entry, async () => {
    const all = await vault.write('rekeyBegins', { now: clock.now() })
    const done = { letters: 0, edits: 0, keys: 0 }
    for (;;) {
      const now = clock.now()
      const { stage, rows } = await vault.write('rekeyStep', { now, ...(most !== undefined && { most }) })
      if (stage === 'scrub') break
      done[stage] += rows
      onNews({ doing: stage === 'keys' ? 'wrapping' : 'sealing', table: stage, done: done[stage], all: all[stage] })
    }
    const scrubbed = await vault.read('isToBeScrubbed', undefined)
    if (scrubbed) {
      await shredWords(vault)
      await scrub()
    }
    await vault.write('rekeyEnds', undefined)
    const keys = await vault.read('listVaultKeys', undefined)
    return { key, ...done, retired: keys.filter(({ retiredAt }) => retiredAt !== null).map(({ id }) => id), scrubbed }
  })
}
