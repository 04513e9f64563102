import type { Operation } from '../sql.ts'

/**
 * The number up to which every letter is there for whoever reads after this, or never will be. Letters that are kept at the same time come to be there in any
 * order: whoever goes on from the last letter that it saw must not go on from one that is behind this.
 *
 * What is under way is asked for after the last letter was: whoever has a number before that one has said so by then, and what it wrote is there once it does
 * not say so any more.
 */
export const settledLetters: Operation<undefined, { readonly upTo: number }> = async (sql) => {
  const last = (await sql.get<{ id: number | null }>('SELECT max(id) AS id FROM letters'))?.id ?? 0
  const { numbersUnderWay } = sql.dialect
  const underWay = numbersUnderWay === undefined ? undefined : await sql.get<{ upTo: number | null }>(numbersUnderWay)
  return { upTo: Math.min(last, underWay?.upTo ?? last) }
}
