import type { Clock } from '../core/ports.ts'
import type { SourceBalance } from '../vault/operations/conservation.ts'
import type { Vault } from '../vault/vault.ts'

/**
 * Whether every letter is accounted for: broker deliveries less those that were known = letters kept = the sum over all states = the rows that
 * are there and those that were purged. Each of the numbers is counted by itself.
 */
export interface Conservation {
  readonly at: number
  readonly holds: boolean
  readonly sources: readonly (SourceBalance & { readonly differences: readonly Difference[] })[]
}

export type Difference =
  /** More or fewer letters were kept than the broker gave that were new. */
  | 'deliveries'
  /** The counts by state are not those of the letters that were kept. */
  | 'states'
  /** There are not as many rows as the counts say. */
  | 'rows'

export async function checkConservation(vault: Vault, clock: Clock): Promise<Conservation> {
  const balances = await vault.read('balanceSources', undefined)
  const sources = balances.map((balance) => ({ ...balance, differences: differencesOf(balance) }))
  return { at: clock.now(), holds: sources.every(({ differences }) => differences.length === 0), sources }
}

function differencesOf({ deliveries, deduplicated, inserted, tallied, purged, rows }: SourceBalance): readonly Difference[] {
  return [
    ...(deliveries - deduplicated === inserted ? [] : (['deliveries'] as const)),
    ...(tallied === inserted ? [] : (['states'] as const)),
    ...(rows + purged === tallied ? [] : (['rows'] as const)),
  ]
}
