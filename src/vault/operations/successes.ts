import type { ReportedSuccess } from '../../core/consumer-report.ts'
import { type Scopes, within } from '../../core/scopes.ts'
import type { Destination } from '../replay-rows.ts'
import type { Sql } from '../sql.ts'
import { createTally } from '../tally.ts'
import { countMoved } from './ledger-counts.ts'
import { lettersInReplay } from './ledger-line.ts'
import { changeState } from './letter-changes.ts'

export interface Successes {
  readonly successes: readonly ReportedSuccess[]
  /** What whoever reports was given. */
  readonly scopes: Scopes
  readonly now: number
}

/**
 * What a consumer says succeeded, as far as a replay has sent it there, or may have. Anything else changes nothing: a letter that is not in the ledger,
 * one that went to another consumer, one that has come back or was reported before. Tells whose ledgers changed. That something failed is no news: the letter itself comes back.
 */
export async function recordSuccesses(sql: Sql, { successes, scopes, now }: Successes): Promise<readonly number[]> {
  const tally = createTally()
  const changed = new Set<number>()
  const isGiven = within(scopes)
  const mayReport = (destination: string): boolean => isGiven(JSON.parse(destination) as Destination)
  for (const success of successes) {
    const { replay, letter } = success
    const rows = await lettersInReplay(sql, { replay, letter }, maySucceed)
    const row = rows.find(({ destination }) => cameFrom(success, destination) && mayReport(destination))
    if (!row) continue
    await sql.run("UPDATE replay_letters SET state = 'succeeded', at = ? WHERE replay = ? AND seq = ?", now, replay, row.seq)
    await changeState(sql, tally, [row.id], { from: row.state, to: 'succeeded', now })
    await countMoved(sql, replay, row.ledger, 'succeeded', 1)
    changed.add(replay)
  }
  await tally.write(sql)
  return [...changed]
}

const maySucceed = ['claimed', 'sent', 'unknown', 'assumed'] as const

function cameFrom({ channel, group }: ReportedSuccess, destination: string): boolean {
  const sentTo = JSON.parse(destination) as Destination
  return sentTo.channel === channel && (sentTo.group === undefined || sentTo.group === group)
}
