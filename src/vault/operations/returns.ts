import { unresolvedStates } from '../letter-states.ts'
import type { Destination } from '../replay-rows.ts'
import type { Sql } from '../sql.ts'
import type { Tally } from '../tally.ts'
import { countMoved } from './ledger-counts.ts'
import { lettersInReplay } from './ledger-line.ts'
import { changeState } from './letter-changes.ts'

interface Return {
  readonly replay: number
  readonly letter: string
  /** Whose consumer gave it up, as far as anybody said. */
  readonly group: string | undefined
  readonly now: number
}

/** What succeeded by all reports and comes back nevertheless has not: a report may be of another consumer. */
const mayReturn = ['claimed', 'sent', 'unknown', 'assumed', 'succeeded'] as const

/**
 * A letter of a replay has died once more: the ledger says so, and the one that was replayed makes way for its successor. Tells the cause that has
 * one unresolved letter less by that.
 */
export async function letterReturned(
  sql: Sql,
  tally: Tally,
  { replay, letter, group, now }: Return,
): Promise<number | undefined> {
  const rows = await lettersInReplay(sql, { replay, letter }, mayReturn)
  const row = rows.find(({ destination }) => mayBeOf(group, destination))
  if (!row) return undefined
  await sql.run("UPDATE replay_letters SET state = 'returned', at = ? WHERE replay = ? AND seq = ?", now, replay, row.seq)
  await changeState(sql, tally, [row.id], { from: row.state, to: 'returned', now })
  await countMoved(sql, replay, row.ledger, 'returned', 1)
  return unresolvedStates.has(row.state) ? row.cause : undefined
}

function mayBeOf(group: string | undefined, destination: string): boolean {
  const sentTo = JSON.parse(destination) as Destination
  return group === undefined || sentTo.group === undefined || sentTo.group === group
}
