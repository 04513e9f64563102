import type { LedgerState } from '../../core/canary.ts'
import type { LetterState } from '../../core/letter-states.ts'
import { listOf, type Sql } from '../sql.ts'

/** A letter in a replay, and where both stand. */
export interface LetterInReplay {
  readonly id: number
  readonly cause: number
  readonly state: LetterState
  readonly seq: number
  readonly ledger: LedgerState
  /** JSON. */
  readonly destination: string
}

/**
 * By the name that all generations of a letter bear: those that this replay has sent, or may have sent, the newest first. Of a message that died in
 * several groups there may be one for each.
 */
export async function lettersInReplay(
  sql: Sql,
  { replay, letter }: { readonly replay: number; readonly letter: string },
  states: readonly LedgerState[],
): Promise<readonly LetterInReplay[]> {
  const { places, values } = listOf(states)
  const named = sql.dialect.isText('letters.letter', letter)
  return sql.all<LetterInReplay>(
    `SELECT letters.id, letters.cause, letters.state, ledger.seq, ledger.state AS ledger, ledger.destination
     FROM letters JOIN replay_letters AS ledger ON ledger.letter = letters.id
     WHERE ${named.text} AND ledger.replay = ? AND ledger.state IN ${places}
     ORDER BY letters.id DESC`,
    ...named.values,
    replay,
    ...values,
  )
}
