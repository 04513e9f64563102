import { createChore } from '../../core/chore.ts'
import type { Clock } from '../../core/ports.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import type { Present } from '../turns.ts'
import type { Line } from './line.ts'

export interface PresenceOptions {
  readonly connections: Connections
  readonly line: Line
  readonly clock: Clock
  readonly schema: string
  /** A write of code that knows these tables: refused where they are too new for it. */
  readonly begin: string
  readonly id: string
  readonly name: string
  readonly release: string
  /** The newest version of the tables that this code knows. */
  readonly knows: number
  /** The tables are too new for this code: nothing is written or read any more. */
  readonly onTooOld: () => void
}

/** One of those that have the vault, on record for as long as it lives. */
export interface Presence {
  /** Everybody who is there, the longest first. */
  all(): Promise<readonly Present[]>
  leave(): Promise<void>
}

/** How often it says that it is there, and how long it counts as there after that. Milliseconds. */
const every = 3000
const countsFor = 60_000

const isThere = `seen_at > clock_timestamp() - ${countsFor} * interval '1 millisecond'`

/** What control planes were called in the server's list of sessions that were not on record yet: code of version 15 and before. */
const unrecorded = 'redrive control plane'

/** Whether code is there that does not know a version of the tables. Under the writers' lock nobody of that kind can come in meanwhile. */
export async function isOlderThere(ask: Connections['ask'], version: number): Promise<boolean> {
  const sql = `SELECT FROM instances WHERE knows < $1 AND ${isThere}
    UNION ALL SELECT FROM pg_catalog.pg_stat_activity WHERE application_name = $2 AND datname = current_database() LIMIT 1`
  return (await ask(sql, [version, unrecorded])).length > 0
}

/** Goes on record under the writers' lock, so that nobody takes away meanwhile what this code uses; then says again and again that it is there. */
export async function announce(options: PresenceOptions): Promise<Presence> {
  const { connections, line, clock, schema, begin, id, name, release, knows, onTooOld } = options
  const table = `${schema}.instances`
  const record = `INSERT INTO ${table} (id, name, release, knows, since, seen_at)
    SELECT $1, $2, $3, $4, clock_timestamp(), clock_timestamp() FROM ${schema}.vault_version WHERE oldest <= $4
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at RETURNING id`
  const values = [id, name, release, knows]
  await connections.within(async (ask) => {
    await ask(`DELETE FROM ${table} WHERE NOT ${isThere}`)
    await ask(record, values)
  }, begin)
  const saying = createChore({
    ...{ clock, every },
    async work() {
      if ((await line.ask(record, values)).length === 0) onTooOld()
    },
    // Whoever is not heard for a moment is not gone.
    onFailure() {},
  })
  saying.start()

  return {
    all: () =>
      line.ask<Present>(
        `SELECT name, release, knows, floor(extract(epoch FROM since) * 1000)::bigint AS since FROM ${table} WHERE ${isThere} ORDER BY since, id`,
        [],
      ),
    async leave() {
      await saying.stop()
      await line.ask(`DELETE FROM ${table} WHERE id = $1`, [id]).catch(() => {})
    },
  }
}
