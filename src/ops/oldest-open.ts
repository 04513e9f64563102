import type { Clock } from '../core/ports.ts'
import type { KnownSource } from '../vault/operations/sources.ts'
import type { Vault } from '../vault/vault.ts'

/** When the oldest letter came that is open in the vault; `undefined` where none is. Epoch milliseconds. */
export type OldestOpen = (source: Pick<KnownSource, 'id' | 'letters'>) => Promise<number | undefined>

/** Letters that were restored are older than where we look from. */
const lookAnewEvery = 3_600_000

interface Oldest {
  readonly lookedAt: number
  readonly from: number
  readonly begunAt: number
  readonly receivedAt: number | undefined
}

/**
 * Remembers how far it had to look: the oldest letter of one source may lie behind a million letters of another, which are passed over once an
 * hour, and not at each look. It looks again after `every` milliseconds.
 */
export function createOldestOpen(vault: Vault, clock: Clock, every: number): OldestOpen {
  const oldest = new Map<number, Oldest>()
  return async ({ id, letters }) => {
    const last = oldest.get(id)
    const now = clock.monotonic()
    if (!letters.open) return void oldest.delete(id)
    if (last && now - last.lookedAt < every) return last.receivedAt
    const goesOn = last && now - last.begunAt < lookAnewEvery
    const found = await vault.read('oldestOpen', { source: id, from: goesOn ? last.from : 0 })
    oldest.set(id, {
      lookedAt: now,
      begunAt: goesOn ? last.begunAt : now,
      from: found?.id ?? 0,
      receivedAt: found?.receivedAt,
    })
    return found?.receivedAt
  }
}
