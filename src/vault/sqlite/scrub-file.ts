import { storeError } from '../../platform/sqlite/store-errors.ts'
import { thrown } from '../../platform/sqlite/wire.ts'
import { openVaultFile } from './vault-file.ts'

/** How long somebody is waited for who changes a single letter. Milliseconds. */
const busyTimeout = 60_000

/**
 * Writes every page of the file anew, and empties its log: a page that was split may hold a row once more that is gone from its table, and only so
 * it is certain that none does. On the way there it needs room for the file twice.
 */
export async function scrubFile(file: string): Promise<void> {
  try {
    const db = openVaultFile({ file, busyTimeout, role: 'writer' })
    try {
      // In memory, a large vault would not fit.
      db.exec('PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      db.close()
    }
  } catch (error) {
    throw thrown(storeError(error, file))
  }
}
