import { RedriveError } from '../core/errors.ts'
import { durationWithin, text } from '../core/option-checks.ts'
import { readOptions } from '../core/options.ts'
import { type Claim, type Claimed, inboxKey } from './inbox.ts'

export interface PostgresInboxOptions {
  /** Who processes: services that share a database each process a message once. */
  readonly scope: string
  /** For how long it is remembered; at least as long as a broker or a person may bring a message back. Default: 30 days. */
  readonly keep?: number | string
}

/** A client of `pg`. */
export interface PostgresClient {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>
}

/**
 * An inbox in the handler's own PostgreSQL database. The claim is a row that is committed together with what the handler writes, or
 * not at all; so a message is processed exactly once, whatever dies. Of two that claim at the same time, the second waits for the first.
 *
 * ```ts
 * await client.query('BEGIN')
 * if ((await inbox.claim(client, ctx)) === 'first') await book(client, order)
 * await client.query('COMMIT')
 * ```
 */
export interface PostgresInbox {
  /** Makes the table `redrive_inbox` where there is none. Once, before the first claim. */
  create(client: PostgresClient): Promise<void>
  /** Rejects outside a transaction: a claim that stays although the handler failed would lose the message. */
  claim(client: PostgresClient, claimed: Claimed): Promise<Exclude<Claim, 'busy'>>
  /** Forgets what is older than `keep`; tells how many. For a daily job. */
  forget(client: PostgresClient): Promise<number>
}

/** To PostgreSQL, of two that make a table that is not there at the same time, one fails: so they do it one after the other. */
const table = `DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('redrive_inbox'));
  CREATE TABLE IF NOT EXISTS redrive_inbox (
    scope text NOT NULL, key text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (scope, key)
  );
END $$`

/** Outside a transaction every statement is one of its own, with another number. */
const insert = `WITH here AS (
  SELECT coalesce(pg_current_xact_id_if_assigned()::text = $3, false) AS same
), claimed AS (
  INSERT INTO redrive_inbox (scope, key) SELECT $1, $2 FROM here WHERE same ON CONFLICT DO NOTHING RETURNING key
)
SELECT same, EXISTS (SELECT FROM claimed) AS first FROM here`

export function postgresInbox(options: PostgresInboxOptions): PostgresInbox {
  const given = readOptions(options, ['scope', 'keep'], 'postgresInbox')
  const scope = given.required('scope', text(200))
  const keep = given.read('keep', durationWithin({ min: '1m', max: '3650d' }), 30 * 24 * 3_600_000)
  return {
    async create(client) {
      await client.query(table)
    },
    async claim(client, { message }) {
      const key = inboxKey(message)
      const [begun] = (await client.query('SELECT pg_current_xact_id()::text AS id')).rows as { readonly id: string }[]
      const { rows } = await client.query(insert, [scope, key, begun?.id])
      const [answer] = rows as { readonly same: boolean; readonly first: boolean }[]
      if (answer?.same) return answer.first ? 'first' : 'done'
      throw new RedriveError('no-transaction', 'An inbox is claimed inside the transaction of the handler; begin one first.')
    },
    async forget(client) {
      const sql = "DELETE FROM redrive_inbox WHERE scope = $1 AND at < clock_timestamp() - $2 * interval '1 millisecond'"
      return (await client.query(sql, [scope, keep])).rowCount ?? 0
    },
  }
}
