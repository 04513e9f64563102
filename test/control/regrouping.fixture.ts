import { parseFilter } from '../../src/core/filter/parse-filter.ts'
import { unresolvedStates } from '../../src/vault/letter-states.ts'
import type { KnownCause } from '../../src/vault/operations/causes.ts'
import type { Letter } from '../../src/vault/operations/letters.ts'
import type { Vault } from '../../src/vault/vault.ts'

/** What people said, as a model: causes by name, and nothing but lists. */
interface Said {
  readonly kind: 'merge' | 'split'
  readonly cause: string
  readonly target: string
  /** The channel that a split means. */
  readonly channel?: string
  isUndone: boolean
}

/**
 * Merges and splits as simple as they can be told: a letter is judged anew each time that somebody asks, from its error on, by everything that was said
 * and not taken back. Rules are of one kind, a channel.
 */
export class Model {
  readonly said: Said[] = []

  /** The oldest split that takes it, and of that again; then what that was merged into, and so on. */
  shownOf(error: string, channel: string): string {
    let at = error
    for (;;) {
      const split = this.said.find(
        ({ kind, cause, isUndone, ...each }) => kind === 'split' && !isUndone && cause === at && each.channel === channel,
      )
      if (!split) return this.endOf(at)
      at = split.target
    }
  }

  endOf(cause: string): string {
    const next = this.said.find(
      (each) =>
        (each.kind === 'merge' && !each.isUndone && each.cause === cause) ||
        (each.kind === 'split' && each.isUndone && each.target === cause),
    )
    if (!next) return cause
    return this.endOf(next.kind === 'merge' ? next.target : next.cause)
  }
}

/** Everything that lists and screens show of causes, counted from the letters themselves. */
export async function counted(vault: Vault): Promise<Map<number, { unresolved: number; letters: readonly Letter[] }>> {
  const letters = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 10_000 })
  const byCause = Map.groupBy(letters, ({ cause }) => cause)
  return new Map(
    [...byCause].map(([cause, own]) => [
      cause,
      { unresolved: own.filter(({ state }) => unresolvedStates.has(state)).length, letters: own },
    ]),
  )
}

/** All that stands for itself. */
export function allCauses(vault: Vault): Promise<readonly KnownCause[]> {
  return vault.read('listCauses', { limit: 1000 })
}

/** Steps until nothing is left to be moved. */
export async function settle(vault: Vault): Promise<void> {
  for (const decision of await vault.read('unsettledDecisions', undefined)) {
    while (!(await vault.write('moveLetters', { decision })).isOver);
  }
}

/** A filter as the vault takes it. */
export function asked(filter: string, now: number) {
  return { condition: { asked: { filter: parseFilter(filter), now }, where: '1 = 1', parameters: [] }, limit: 10_000 }
}
