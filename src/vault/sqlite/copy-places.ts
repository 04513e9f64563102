import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { RedriveError } from '../../core/errors.ts'
import { storeError } from '../../platform/sqlite/store-errors.ts'
import { thrown } from '../../platform/sqlite/wire.ts'
import type { CopySource, CopyTarget } from '../copy/place.ts'
import type { Sql } from '../sql.ts'
import { refuseHalfCopied, sqliteCopyWords } from './copy-words.ts'
import { lockFile } from './lock-file.ts'
import { sqliteSql } from './sqlite-sql.ts'
import { openVaultFile } from './vault-file.ts'

/** How long somebody is waited for who changes a single letter. Milliseconds. */
const busyTimeout = 10_000

/** The transaction of a writer who writes nothing: nobody else does either, and everything is read as of one moment. */
export async function fileSource(file: string): Promise<CopySource> {
  if (!existsSync(file)) throw new RedriveError('bad-option', `${file}: there is no such vault.`)
  const { db, close } = await locked(file)
  try {
    refuseHalfCopied(db, file)
    db.exec('BEGIN IMMEDIATE')
  } catch (error) {
    await close()
    throw told(error, file)
  }
  return { name: file, words: sqliteCopyWords, sql: sqliteSql(db), close }
}

export async function fileTarget(file: string): Promise<CopyTarget> {
  const { db, close } = await locked(file)
  const sql = sqliteSql(db)

  async function within<T>(begin: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      db.exec(begin)
      const result = await work(sql)
      db.exec('COMMIT')
      return result
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw told(error, file)
    }
  }

  return {
    name: file,
    words: sqliteCopyWords,
    read: (work) => within('BEGIN', work),
    write: (work) => within('BEGIN IMMEDIATE', work),
    close,
  }
}

async function locked(file: string): Promise<{ readonly db: DatabaseSync; close(): Promise<void> }> {
  const unlock = await lockFile(file)
  try {
    const db = openVaultFile({ file, busyTimeout, role: 'writer' })
    return {
      db,
      async close() {
        db.close()
        await unlock()
      },
    }
  } catch (error) {
    await unlock()
    throw told(error, file)
  }
}

function told(error: unknown, file: string): RedriveError {
  return error instanceof RedriveError ? error : thrown(storeError(error, file))
}
