import type { Values } from '../../core/alerts/sample.ts'

export type Flow = Required<Pick<Values, 'letters' | 'cameTotal' | 'wentTotal'>>

/** What came to a source and what went, from one look to the next. */
export function flowOn(before: Flow | undefined, letters: number): Flow {
  if (!before) return { letters, cameTotal: 0, wentTotal: 0 }
  const change = letters - before.letters
  return { letters, cameTotal: before.cameTotal + Math.max(0, change), wentTotal: before.wentTotal + Math.max(0, -change) }
}

/** How much a total grew. One that is lower than before was begun anew in between, and all of it has come since. */
export function grown(from: number | undefined, to: number | undefined): number | null {
  if (from === undefined || to === undefined) return null
  return to < from ? to : to - from
}
