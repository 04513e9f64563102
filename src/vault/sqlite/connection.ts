import type { DatabaseSync } from 'node:sqlite'
import { spoilsConnection, storeError } from '../../platform/sqlite/store-errors.ts'
import { openStore } from '../../platform/sqlite/store-file.ts'
import type { Result } from '../../platform/sqlite/wire.ts'
import { vaultSchema } from '../schema.ts'
import type { Operation, Sql } from '../sql.ts'
import { commitTogether, FailedTogether } from './group-commit.ts'
import type { Call, ThreadSettings } from './protocol.ts'
import { sqliteSql } from './sqlite-sql.ts'

export type Operations = Readonly<Record<string, Operation<never, unknown>>>

/** One connection and what is done on it. After an error that leaves it in doubt it is thrown away, and the next call opens another. */
export interface Connection {
  answer(calls: readonly Call[]): Promise<readonly Result[]>
  close(): void
}

export function createConnection(settings: ThreadSettings, operations: Operations): Connection {
  let opened: { readonly db: DatabaseSync; readonly sql: Sql } | undefined

  function open(): { readonly db: DatabaseSync; readonly sql: Sql } {
    if (opened) return opened
    const { file, busyTimeout, role } = settings
    const db = openStore({ file, schema: vaultSchema, busyTimeout, readOnly: role === 'reader' })
    // What was erased is to be gone from the file, and not only from its tables.
    db.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON')
    opened = { db, sql: sqliteSql(db) }
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

  function workOf({ name, input }: Call): (sql: Sql) => Promise<unknown> {
    const operation = operations[name]
    if (!operation) throw new Error(`The vault has no operation ${name}.`)
    return (sql) => operation(sql, input as never)
  }

  /** What fails together may have failed because of one of them: then each is tried alone. */
  async function write(calls: readonly Call[]): Promise<readonly Result[]> {
    const { db, sql } = open()
    try {
      return await commitTogether(db, sql, calls.map(workOf), settings.file)
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
