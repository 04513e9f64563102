import type { DatabaseSync } from 'node:sqlite'
import { RedriveError } from '../../core/errors.ts'

/** What makes a database file one of ours: told by a number in its header, and of a version that says which tables it has. */
export interface StoreSchema {
  /** What it is to its user: `queue`, `vault`. */
  readonly what: string
  /** Four letters as a number, so that a file is never taken for another kind of database. */
  readonly applicationId: number
  /** Bytes; what SQLite takes by itself where absent. */
  readonly pageSize?: number
  /** Whether a new file can be read by its owner alone. The log beside it takes after it. */
  readonly isPrivate?: boolean
  /**
   * Statements that make version 1 from nothing, version 2 from version 1, and so on. What was released is never changed, only added
   * to: a file may be at any of these versions.
   */
  readonly versions: readonly string[]
  /** What an older file needs beyond the statements of a version, by its number, within its transaction: a new file has nothing to be made anew. */
  readonly remaking?: Readonly<Record<number, (db: DatabaseSync) => void>>
}

export function writeSchema(db: DatabaseSync, schema: StoreSchema): void {
  if (schema.pageSize !== undefined) db.exec(`PRAGMA page_size = ${schema.pageSize}`)
  db.exec(
    `BEGIN; ${schema.versions.join(';')}; PRAGMA application_id = ${schema.applicationId}; PRAGMA user_version = ${schema.versions.length}; COMMIT`,
  )
  // Only now, so that the tables stand in the file itself: a log is merged when the database closes, and closing tells no errors.
  db.exec('PRAGMA journal_mode = WAL')
}

/** Refuses what is not ours or newer than we are; tells how many versions are still to be applied. */
export function checkSchema(db: DatabaseSync, schema: StoreSchema, file: string): number {
  if (pragma(db, 'application_id') !== schema.applicationId) {
    throw new RedriveError('bad-option', `${file} is a database of another program. Give the ${schema.what} a file of its own.`)
  }
  const [found, known] = [pragma(db, 'user_version'), schema.versions.length]
  if (found > known) {
    throw new RedriveError(
      'store-newer',
      `${file} has schema version ${found}; this version of Redrive knows ${known}. Upgrade Redrive; the file was left as it is.`,
    )
  }
  return known - found
}

/** Brings an older file up to date, each version with its number in one transaction: one that dies halfway is done again whole. */
export function migrate(db: DatabaseSync, schema: StoreSchema): void {
  for (let version = pragma(db, 'user_version') + 1; version <= schema.versions.length; version++) {
    db.exec('BEGIN IMMEDIATE')
    try {
      // Another process may have done it while we waited for the lock.
      if (pragma(db, 'user_version') < version) {
        db.exec(`${schema.versions[version - 1]}; PRAGMA user_version = ${version}`)
        schema.remaking?.[version]?.(db)
      }
      db.exec('COMMIT')
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
}

export function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
}
