import type { DatabaseSync } from 'node:sqlite'
import { RedriveError } from '../../core/errors.ts'
import { leavesDoubt, storeError } from '../../platform/sqlite/store-errors.ts'
import type { Result } from '../../platform/sqlite/wire.ts'
import type { Sql } from '../sql.ts'

export type Work = (sql: Sql) => Promise<unknown>

/**
 * Operations that were asked for while the last commit ran become one transaction with one fsync. Each stands in a savepoint of its own:
 * one that is refused takes back what it did and nothing else. When the database itself fails, all of them have failed.
 */
export async function commitTogether(db: DatabaseSync, sql: Sql, works: readonly Work[], file: string): Promise<Result[]> {
  let committing = false
  try {
    db.exec('BEGIN IMMEDIATE')
    const results: Result[] = []
    for (const work of works) results.push(await inSavepoint(db, sql, work))
    committing = true
    db.exec('COMMIT')
    return results
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    const told = storeError(error, file)
    const failure = committing && leavesDoubt(error) ? { code: 'unsure' as const, message: told.message } : told
    throw new FailedTogether(
      works.map(() => ({ error: failure })),
      error,
    )
  }
}

/** Carries the answers, and what happened to the connection. */
export class FailedTogether extends Error {
  readonly results: Result[]

  constructor(results: Result[], cause: unknown) {
    super('The transaction failed.', { cause })
    this.results = results
  }
}

async function inSavepoint(db: DatabaseSync, sql: Sql, work: Work): Promise<Result> {
  db.exec('SAVEPOINT operation')
  try {
    const value = await work(sql)
    db.exec('RELEASE operation')
    return { value }
  } catch (error) {
    if (!(error instanceof RedriveError)) throw error
    db.exec('ROLLBACK TO operation; RELEASE operation')
    return { error: { code: error.code, message: error.message } }
  }
}
