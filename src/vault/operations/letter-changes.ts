import type { LetterState } from '../../core/letter-states.ts'
import { listOf, type Sql } from '../sql.ts'
import type { Tally } from '../tally.ts'

export interface ChangedLetter {
  readonly id: number
  readonly source: number
  readonly cause: number
}

export interface StateChange {
  readonly from: LetterState
  readonly to: LetterState
  readonly now: number
}

/** Brings those of the letters that are in one of these states to another one; tells which. Statements take a few hundred ids at a time. */
export async function changeState(
  sql: Sql,
  tally: Tally,
  letters: readonly number[],
  { from, to, now }: StateChange,
): Promise<readonly ChangedLetter[]> {
  const changed: ChangedLetter[] = []
  for (let start = 0; start < letters.length; start += chunk) {
    const { places, values } = listOf(letters.slice(start, start + chunk))
    const rows = await sql.all<ChangedLetter>(
      `UPDATE letters SET state = ?, state_since = ? WHERE id IN ${places} AND state = ? RETURNING id, source, cause`,
      to,
      now,
      ...values,
      from,
    )
    for (const row of rows) tally.moved(row, from, to)
    changed.push(...rows)
  }
  return changed
}

const chunk = 512
