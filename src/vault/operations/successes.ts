import type { ReportedSuccess } from '../../core/consumer-report.ts'
import { glob } from '../../core/glob.ts'
import type { Destination } from '../replay-rows.ts'
import type { Sql } from '../sql.ts'
import { createTally } from '../tally.ts'
import { countMoved } from './ledger-counts.ts'
import { letterInReplay } from './ledger-line.ts'
import { changeState } from './letter-changes.ts'

export interface Successes {
  readonly successes: readonly ReportedSuccess[]
  /** Patterns of `connection/channel` that whoever reports was given; every list has to match. */
  readonly scopes: readonly (readonly string[])[]
  readonly now: number
}

/**
 * What a consumer says succeeded, as far as a replay has sent it there, or may have. Anything else changes nothing: a letter that is not in the ledger,
 * one that went to another consumer, one that has come back or was reported before. Tells whose ledgers changed. That something failed is no news: the letter itself comes back.
 */
export async function recordSuccesses(sql: Sql, { successes, scopes, now }: Successes): Promise<readonly number[]> {
  const tally = createTally()
  const changed = new Set<number>()
  const mayReport = withinScopes(scopes)
  for (const success of successes) {
    const { replay, letter } = success
    const row = await letterInReplay(sql, { replay, letter }, maySucceed)
    if (!row || !cameFrom(success, row.destination) || !mayReport(row.destination)) continue
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

function withinScopes(scopes: readonly (readonly string[])[]): (destination: string) => boolean {
  const tests = scopes.map((patterns) => patterns.map(glob))
  return (destination) => {
    const { connection, channel } = JSON.parse(destination) as Destination
    return tests.every((scope) => scope.some((matches) => matches(`${connection}/${channel}`)))
  }
}
