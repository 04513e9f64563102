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

/** The right to work on a vault, as the server keeps it. */
export interface Lease {
  /** Only when the last one has ended. `token` is one that nobody has used before. */
  take(token: string): Promise<boolean>
  /** Whether it is still ours: also one that has ended, as long as nobody else has taken it. */
  renew(token: string): Promise<boolean>
  /** It has ended, for whoever is next. */
  giveBack(token: string): Promise<void>
  holder(): Promise<Holder | undefined>
}

export interface LeaseOptions {
  readonly schema: string
  /** What people know its holder by. */
  readonly name: string
  readonly lasts: number
}

/**
 * Taken under the writers' lock: everything that its last holder has written was committed before, and whatever it writes later finds another token.
 * Renewed without that lock: whoever waits for a writer would lose it meanwhile.
 */
export function leaseOn(connections: Connections, line: Line, { schema, name, lasts }: LeaseOptions): Lease {
  const table = `${schema}.control_plane`
  const ends = (place: string): string => `clock_timestamp() + ${place}::double precision * interval '1 millisecond'`
  return {
    async take(token) {
      const found = await line.ask(`SELECT FROM ${table} WHERE expires_at > clock_timestamp()`, [])
      if (found.length > 0) return false
      const rows = await connections.within(
        (ask) =>
          ask(
            `INSERT INTO control_plane AS held (id, token, name, since, expires_at) VALUES (1, $1, $2, clock_timestamp(), ${ends('$3')})
             ON CONFLICT (id) DO UPDATE SET token = excluded.token, name = excluded.name, since = excluded.since, expires_at = excluded.expires_at
             WHERE held.expires_at <= clock_timestamp() RETURNING token`,
            [token, name, lasts],
          ),
        transactionsOf(schema).write,
      )
      return rows.length > 0
    },
    async renew(token) {
      const sql = `UPDATE ${table} SET expires_at = ${ends('$2')} WHERE token = $1 RETURNING token`
      return (await line.ask(sql, [token, lasts])).length > 0
    },
    async giveBack(token) {
      await line.ask(`UPDATE ${table} SET expires_at = '-infinity' WHERE token = $1`, [token])
    },
    async holder() {
      const [found] = await line.ask<Holder>(
        `SELECT name, floor(extract(epoch FROM since) * 1000)::bigint AS since, expires_at > clock_timestamp() AS "isCurrent",
           expires_at::text AS "endsAt" FROM ${table}`,
        [],
      )
      return found
    },
  }
}
