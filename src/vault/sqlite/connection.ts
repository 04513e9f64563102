import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { spoilsConnection, storeError } from '../../platform/sqlite/store-errors.ts'
import type { Result } from '../../platform/sqlite/wire.ts'
import { createKeyRing } from '../sealing/key-ring.ts'
import type { Operation, Sql } from '../sql.ts'
import { refuseHalfCopied } from './copy-words.ts'
import { commitTogether, FailedTogether } from './group-commit.ts'
import { type Call, type ThreadSettings, unpacked } from './protocol.ts'
import { sqliteSql } from './sqlite-sql.ts'
import { openVaultFile } from './vault-file.ts'

/** After these, nothing of what they took away may be found beside the database. */
const erasing: ReadonlySet<string> = new Set(['eraseLetter', 'shredWords', 'purgeLetters', 'rekeyEnds'])
/** How long a reader is waited for until the log is emptied. Milliseconds. */
const patience = 200

export type Operations = Readonly<Record<string, Operation<never, unknown>>>

/** One connection and what is done on it. After an error that leaves it in doubt it is thrown away, and the next call opens another. */
export interface Connection {
  answer(calls: readonly Call[]): Promise<readonly Result[]>
  close(): void
}

export function createConnection(settings: ThreadSettings, operations: Operations): Connection {
  const ring = settings.keys && createKeyRing(settings.keys, randomBytes)
  let isLogToBeEmptied = false
  let opened: { readonly db: DatabaseSync; readonly sql: Sql } | undefined

  function open(): { readonly db: DatabaseSync; readonly sql: Sql } {
    if (opened) return opened
    const db = openVaultFile(settings)
    try {
      refuseHalfCopied(db, settings.file)
    } catch (error) {
      db.close()
      throw error
    }
    opened = { db, sql: sqliteSql(db, ring) }
    return opened
  }

  function discard(): void {
    const spoilt = opened
    opened = undefined
    try {
      spoilt?.db.close()
    } catch {
      // It is being thrown away because it failed; that it fails again says nothing new.
    }
  }

  function workOf(call: Call): (sql: Sql) => Promise<unknown> {
    const { name, input } = unpacked(call)
    const operation = operations[name]
    if (!operation) throw new Error(`The vault has no operation ${name}.`)
    return (sql) => operation(sql, input as never)
  }

  /**
   * The log holds pages as they were before something was erased from them. While somebody reads in it, it cannot be emptied: then that is tried
   * again after the next call. What was committed stays so, whatever becomes of this.
   */
  function emptyLogAfter(calls: readonly Call[], db: DatabaseSync): void {
    isLogToBeEmptied ||= calls.some(({ name }) => erasing.has(name))
    if (!isLogToBeEmptied) return
    try {
      db.exec(`PRAGMA busy_timeout = ${patience}`)
      const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
      isLogToBeEmptied = busy !== 0
    } catch {
      // The next call meets the same fault, and tells it to who asked.
    } finally {
      db.exec(`PRAGMA busy_timeout = ${settings.busyTimeout}`)
    }
  }

  /** What fails together may have failed because of one of them: then each is tried alone. */
  async function write(calls: readonly Call[]): Promise<readonly Result[]> {
    const { db, sql } = open()
    try {
      const results = await commitTogether(db, sql, calls.map(workOf), settings.file)
      emptyLogAfter(calls, db)
      return results
    } catch (failure) {
      if (!(failure instanceof FailedTogether) || spoilsConnection(failure.cause) || calls.length === 1) throw failure
      const results: Result[] = []
      for (const call of calls) results.push(...(await answer([call])))
      return results
    }
  }

  /** One snapshot for all statements of a question. What one question does wrong is no answer to the others of its round. */
  async function read(call: Call): Promise<Result> {
    try {
      const { db, sql } = open()
      db.exec('BEGIN')
      try {
        return { value: await workOf(call)(sql) }
      } finally {
        if (db.isTransaction) db.exec('ROLLBACK')
      }
    } catch (error) {
      if (spoilsConnection(error)) discard()
      return { error: storeError(error, settings.file) }
    }
  }

  async function answer(calls: readonly Call[]): Promise<readonly Result[]> {
    try {
      if (settings.role === 'writer') return await write(calls)
      const results: Result[] = []
      for (const call of calls) results.push(await read(call))
      return results
    } catch (failure) {
      const error = failure instanceof FailedTogether ? failure.cause : failure
      if (spoilsConnection(error)) discard()
      if (failure instanceof FailedTogether) return failure.results
      return calls.map(() => ({ error: storeError(error, settings.file) }))
    }
  }

  return {
    answer,
    close() {
      if (settings.role === 'writer' && opened) {
        opened.db.exec('PRAGMA busy_timeout = 0')
        opened.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
      }
      discard()
    },
  }
}
