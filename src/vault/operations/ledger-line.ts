import type { LetterState } from '../../core/letter-states.ts'
import type { LedgerState } from '../replay-rows.ts'
import { listOf, type Sql } from '../sql.ts'

/** A letter in a replay, and where both stand. */
export interface LetterInReplay {
  readonly id: number
  readonly state: LetterState
  readonly seq: number
  readonly ledger: LedgerState
}

/** By the name that all generations of a letter bear: the newest that this replay has sent, or may have sent. */
export async function letterInReplay(
  sql: Sql,
  { replay, letter }: { readonly replay: number; readonly letter: string },
  states: readonly LedgerState[],
): Promise<LetterInReplay | undefined> {
  const { places, values } = listOf(states)
  return sql.get<LetterInReplay>(
    `SELECT letters.id, letters.state, ledger.seq, ledger.state AS ledger
     FROM letters JOIN replay_letters AS ledger ON ledger.letter = letters.id
     WHERE letters.letter = ? AND ledger.replay = ? AND ledger.state IN ${places}
     ORDER BY letters.id DESC LIMIT 1`,
    letter,
    replay,
    ...values,
  )
}
