import type { CauseDetail } from '../ops/control-plane.ts'
import type { Vault } from '../vault/vault.ts'

/**
 * Of a cause, what concerns letters of these sources. What stands under it for other sources alone is not told, nor what was written on that; and of what
 * was said about causes, only where both are theirs: it has the titles of both.
 */
export async function seenPart(
  detail: CauseDetail,
  sources: readonly number[],
  vault: Pick<Vault, 'read'>,
): Promise<CauseDetail> {
  const { cause, members, decisions, notes } = detail
  const named = [...members.map(({ id }) => id), ...decisions.flatMap((said) => [said.cause, said.target])]
  const theirs = await vault.read('causesWithLettersOf', { ids: [...new Set(named)], sources })
  const seen = new Set([cause.id, ...theirs])
  return {
    ...detail,
    members: members.filter(({ id }) => seen.has(id)),
    decisions: decisions.filter((said) => seen.has(said.cause) && seen.has(said.target)),
    notes: notes.filter((note) => seen.has(note.cause)),
  }
}
