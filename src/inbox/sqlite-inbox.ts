import type { DatabaseSync } from 'node:sqlite'
import { RedriveError } from '../core/errors.ts'
import { durationWithin, objectWith, text } from '../core/option-checks.ts'
import { readOptions } from '../core/options.ts'
import { type Clock, clockVerbs } from '../core/ports.ts'
import { systemClock } from '../platform/clock.ts'
import { type Claim, type Claimed, inboxKey } from './inbox.ts'

export interface SqliteInboxOptions {
  /** Who processes: services that share a database each process a message once. */
  readonly scope: string
  /** For how long it is remembered; at least as long as a broker or a person may bring a message back. Default: 30 days. */
  readonly keep?: number | string
  readonly clock?: Clock
}

/**
 * An inbox in the handler's own SQLite database. The claim is a row that is committed together with what the handler writes, or
 * not at all; so a message is processed exactly once, whatever dies.
 *
 * ```ts
 * db.exec('BEGIN IMMEDIATE')
 * if (inbox.claim(ctx) === 'first') book(db, order)
 * db.exec('COMMIT')
 * ```
 */
export interface SqliteInbox {
  /** Rejects outside a transaction: a claim that stays although the handler failed would lose the message. */
  claim(claimed: Claimed): Exclude<Claim, 'busy'>
  /** Forgets what is older than `keep`; tells how many. For a daily job. */
  forget(): number
}

export function sqliteInbox(db: DatabaseSync, options: SqliteInboxOptions): SqliteInbox {
  const given = readOptions(options, ['scope', 'keep', 'clock'], 'sqliteInbox')
  const scope = given.required('scope', text(200))
  const keep = given.read('keep', durationWithin({ min: '1m', max: '3650d' }), 30 * 24 * 3_600_000)
  const clock = given.read('clock', objectWith<Clock>(clockVerbs, 'a clock, such as virtualClock()'), systemClock)
  db.exec(`
    CREATE TABLE IF NOT EXISTS redrive_inbox (
      scope TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (scope, key)
    ) WITHOUT ROWID`)
  const insert = db.prepare('INSERT OR IGNORE INTO redrive_inbox (scope, key, at) VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM redrive_inbox WHERE scope = ? AND at < ?')
  return {
    claim({ message }) {
      if (!db.isTransaction) {
        throw new RedriveError('no-transaction', 'An inbox is claimed inside the transaction of the handler; begin one first.')
      }
      return insert.run(scope, inboxKey(message), clock.now()).changes === 1 ? 'first' : 'done'
    },
    forget: () => Number(remove.run(scope, clock.now() - keep).changes),
  }
}
