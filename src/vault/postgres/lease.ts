import type { Connections } from '../../platform/postgres/connections.ts'
import type { Line } from './line.ts'
import { transactionsOf } from './transactions.ts'

/** Who has the lease. */
export interface Holder {
  readonly name: string
  /** Epoch milliseconds, on the server's clock. */
  readonly since: number
  /** It has not ended, on the server's clock. */
  readonly isCurrent: boolean
  /** Another one after every renewal. */
  readonly endsAt: string
}

/** The right to do something on a vault that one does at a time, as the server keeps it. */
export interface Lease {
  /** Only when the last one has ended. `token` is one that nobody has used before. */
  take(token: string): Promise<boolean>
  /** It has ended, for whoever is next. */
  giveBack(token: string): Promise<void>
  holder(): Promise<Holder | undefined>
}

/** Which of these are still ours: also those that have ended, as long as nobody else has taken them. */
export type Renew = (tokens: readonly string[]) => Promise<ReadonlySet<string>>

export interface LeaseOptions {
  readonly schema: string
  /** What people know its holder by. */
  readonly name: string
  readonly lasts: number
}

/** Where the server keeps a lease, and when it may be had. */
interface LeasePlace {
  readonly table: string
  readonly key: string
  readonly value: string | number
  /** Whether anybody may have it at all, as the server knows. */
  readonly onlyIf: string
}

/** A table of its own, in which older versions look, too. */
const work: LeasePlace = { table: 'control_plane', key: 'id', value: 1, onlyIf: 'true' }

/**
 * What is shared out is had by control planes that share, and only while one of them works or was the last to do so: a command that has the vault has it
 * alone, and one of an older version does everything itself.
 */
export function membersWork(schema: string): string {
  const isWorker = "member.lease = 'member ' || split_part(work.token, '/', 1)"
  return `EXISTS (SELECT FROM ${schema}.control_plane AS work JOIN ${schema}.leases AS member ON ${isWorker})`
}

/** The right to work. */
export function workLease(connections: Connections, line: Line, options: LeaseOptions): Lease {
  return leaseOn(connections, line, options, work)
}

/** The right to do what has this name. */
export function shareLease(connections: Connections, line: Line, options: LeaseOptions, share: string): Lease {
  const onlyIf = membersWork(options.schema)
  return leaseOn(connections, line, options, { table: 'leases', key: 'lease', value: shareNamed(share), onlyIf })
}

/** What its lease is called. */
export const shareNamed = (share: string): string => `share ${share}`

/** One statement for all of them, without the writers' lock: whoever waits for a writer would lose them meanwhile. */
export function renewing(line: Line, { schema, lasts }: LeaseOptions): Renew {
  const renewed = ({ table }: Pick<LeasePlace, 'table'>): string =>
    `UPDATE ${schema}.${table} SET expires_at = ${ends('$2')} WHERE token = ANY($1) RETURNING token`
  const sql = `WITH work AS (${renewed(work)}), shares AS (${renewed({ table: 'leases' })})
    SELECT token FROM work UNION ALL SELECT token FROM shares`
  return async (tokens) => {
    if (tokens.length === 0) return new Set()
    return new Set((await line.ask<{ token: string }>(sql, [tokens, lasts])).map(({ token }) => token))
  }
}

export const ends = (place: string): string => `clock_timestamp() + ${place}::double precision * interval '1 millisecond'`

/**
 * Taken under the writers' lock: everything that its last holder has written was committed before, and whatever it writes later finds another token.
 */
function leaseOn(connections: Connections, line: Line, { schema, name, lasts }: LeaseOptions, place: LeasePlace): Lease {
  const { key, value, onlyIf } = place
  const table = `${schema}.${place.table}`
  return {
    async take(token) {
      const found = await line.ask(`SELECT FROM ${table} WHERE ${key} = $1 AND expires_at > clock_timestamp()`, [value])
      if (found.length > 0) return false
      const rows = await connections.within(
        (ask) =>
          ask(
            `INSERT INTO ${place.table} AS held (${key}, token, name, since, expires_at)
             SELECT $4, $1, $2, clock_timestamp(), ${ends('$3')} WHERE ${onlyIf}
             ON CONFLICT (${key}) DO UPDATE SET token = excluded.token, name = excluded.name, since = excluded.since, expires_at = excluded.expires_at
             WHERE held.expires_at <= clock_timestamp() RETURNING token`,
            [token, name, lasts, value],
          ),
        transactionsOf(schema).write,
      )
      return rows.length > 0
    },
    async giveBack(token) {
      await line.ask(`UPDATE ${table} SET expires_at = '-infinity' WHERE token = $1`, [token])
    },
    async holder() {
      const [found] = await line.ask<Holder>(
        `SELECT name, floor(extract(epoch FROM since) * 1000)::bigint AS since, expires_at > clock_timestamp() AS "isCurrent",
           expires_at::text AS "endsAt" FROM ${table} WHERE ${key} = $1`,
        [value],
      )
      return found
    },
  }
}
