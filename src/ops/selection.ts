import type { Clock } from '../core/ports.ts'
import type { Condition } from '../vault/condition.ts'
import { conditionOf } from '../vault/filter-condition.ts'
import type { LetterQuery } from '../vault/operations/find-letters.ts'
import type { Letter } from '../vault/operations/letters.ts'
import type { Vault } from '../vault/vault.ts'
import type { Selection } from './control-plane.ts'

const page = 1000

interface Found {
  readonly found: number
  /** The least id. */
  readonly oldest: number
}

/**
 * The letters of a selection as they stand when it is made, page by page, each as somebody asks the vault for it. What comes into the vault
 * meanwhile has a greater id than the first page and is not among them.
 */
export async function* pagesOf<Page extends Found>(
  selection: Selection,
  clock: Clock,
  ask: (query: LetterQuery) => Promise<Page>,
): AsyncGenerator<Page> {
  const sources = 'filter' in selection && selection.sources ? { sources: selection.sources } : {}
  const first = 'filter' in selection ? selection.before : undefined
  for (const condition of conditionsOf(selection, clock.now())) {
    for (let before = first; ; ) {
      const answer = await ask({ condition, limit: page, ...sources, ...(before !== undefined && { before }) })
      if (answer.found > 0) yield answer
      before = answer.oldest
      if (answer.found < page) break
    }
  }
}

/** The same, as letters. */
export async function* lettersOf(selection: Selection, vault: Vault, clock: Clock): AsyncGenerator<readonly Letter[]> {
  const pages = pagesOf(selection, clock, async (query) => {
    const letters = await vault.read('findLetters', query)
    return { letters, found: letters.length, oldest: letters.at(-1)?.id ?? 0 }
  })
  for await (const { letters } of pages) yield letters
}

function conditionsOf(selection: Selection, now: number): readonly Condition[] {
  if ('filter' in selection) return [conditionOf(selection.filter, now)]
  const wanted = [...new Set(selection.letters)]
  const conditions: Condition[] = []
  for (let start = 0; start < wanted.length; start += page) {
    const ids = wanted.slice(start, start + page)
    conditions.push({ where: `letters.id IN (${ids.map(() => '?').join(', ')})`, parameters: ids })
  }
  return conditions
}
