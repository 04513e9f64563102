import type { Selection } from '../../ops/control-plane.ts'
import type { Desk } from '../plane/desk.ts'

const page = 1000

/**
 * The letters of a selection as they are now. What is asked about is what is then done: letters that come while a person reads the question
 * are not among them.
 */
export async function frozen(selection: Selection, { plane }: Desk): Promise<readonly number[]> {
  if ('letters' in selection) return [...new Set(selection.letters)]
  const ids: number[] = []
  for (let before: number | undefined; ; ) {
    const { letters, next } = await plane.letters.find({
      filter: selection.filter,
      limit: page,
      ...(before !== undefined && { before }),
    })
    for (const { id } of letters) ids.push(id)
    if (next === undefined) return ids
    before = next
  }
}
