import type { Clock } from '../core/ports.ts'
import { conditionOf } from '../vault/filter-condition.ts'
import type { Condition, Letter } from '../vault/operations/letters.ts'
import type { Vault } from '../vault/vault.ts'
import type { Selection } from './control-plane.ts'

const page = 1000

/**
 * The letters of a selection as they stand when it is made, page by page. What comes into the vault meanwhile has a greater id than the first
 * page and is not among them.
 */
export async function* lettersOf(selection: Selection, vault: Vault, clock: Clock): AsyncGenerator<readonly Letter[]> {
  for (const condition of conditionsOf(selection, clock.now())) {
    for (let before: number | undefined; ; ) {
      const letters = await vault.read('findLetters', { condition, limit: page, ...(before !== undefined && { before }) })
      if (letters.length > 0) yield letters
      before = letters.at(-1)?.id
      if (letters.length < page) break
    }
  }
}

function conditionsOf(selection: Selection, now: number): readonly Condition[] {
  if ('filter' in selection) return [conditionOf(selection.filter, now)]
  const conditions: Condition[] = []
  for (let start = 0; start < selection.letters.length; start += page) {
    const ids = selection.letters.slice(start, start + page)
    conditions.push({ where: `letters.id IN (${ids.map(() => '?').join(', ')})`, parameters: ids })
  }
  return conditions
}
