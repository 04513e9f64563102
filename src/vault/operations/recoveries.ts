import type { ChannelReport } from '../../core/consumer-report.ts'
import type { Scopes } from '../../core/scopes.ts'
import type { Operation, Sql } from '../sql.ts'

export type RecoveredChannel = Pick<ChannelReport, 'name' | 'group' | 'deadLetter'>

/** The end of an outage, as long as rules that wait for it have not had their turn. */
export interface Recovery {
  readonly id: number
  /** When the last report said so. */
  readonly at: number
  readonly channel: RecoveredChannel
  /** What whoever said so was given. */
  readonly scopes: Scopes
}

/** A part of the transaction that keeps the report: what a consumer says only once is not forgotten by a control plane that dies. */
export async function rememberRecovery(sql: Sql, channel: RecoveredChannel, scopes: Scopes, at: number): Promise<Recovery> {
  const row = await sql.get<{ id: number }>(
    `INSERT INTO recoveries (at, channel, scopes) VALUES (?, ?, ?)
     ON CONFLICT (channel, scopes) DO UPDATE SET at = excluded.at RETURNING id`,
    at,
    JSON.stringify([channel.name, channel.group, channel.deadLetter]),
    JSON.stringify(scopes),
  )
  if (!row) throw new Error(`The recovery of ${channel.name} could not be written.`)
  return { id: row.id, at, channel, scopes }
}

interface RecoveryRow {
  readonly id: number
  readonly at: number
  readonly channel: string
  readonly scopes: string
}

export const pendingRecoveries: Operation<undefined, readonly Recovery[]> = async (sql) => {
  const rows = await sql.all<RecoveryRow>('SELECT id, at, channel, scopes FROM recoveries ORDER BY id')
  return rows.map(({ id, at, channel, scopes }) => {
    const [name, group, deadLetter] = JSON.parse(channel) as [string, string | null, string]
    return { id, at, channel: { name, group, deadLetter }, scopes: JSON.parse(scopes) as Scopes }
  })
}

/** One that was told once more meanwhile is still to be dealt with. */
export const forgetRecovery: Operation<Pick<Recovery, 'id' | 'at'>, undefined> = async (sql, { id, at }) => {
  await sql.run('DELETE FROM recoveries WHERE id = ? AND at = ?', id, at)
  return undefined
}
