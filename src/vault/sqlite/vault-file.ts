import type { DatabaseSync } from 'node:sqlite'
import { openStore } from '../../platform/sqlite/store-file.ts'
import { vaultSchema } from '../schema.ts'
import type { ThreadSettings } from './protocol.ts'

/** 32 MiB. */
export const pagesUntilMerged = 4096

/** The file of a vault, made where there is none, as everybody has to write it. */
export function openVaultFile({ file, busyTimeout, role }: ThreadSettings): DatabaseSync {
  const db = openStore({ file, schema: vaultSchema, busyTimeout, readOnly: role === 'reader' })
  // What was erased is to be gone from the file, and not only from its tables.
  db.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON')
  // A page that is written by every batch is merged into the file once for many of them.
  db.exec(`PRAGMA wal_autocheckpoint = ${pagesUntilMerged}`)
  return db
}
