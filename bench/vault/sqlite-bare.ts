import { DatabaseSync } from 'node:sqlite'
import { insertWords } from '../../src/vault/letter-words.ts'
import { vaultSchema } from '../../src/vault/schema.ts'
import { headerWords } from '../../src/vault/sqlite/header-words.ts'
import { pagesUntilMerged } from '../../src/vault/sqlite/vault-file.ts'
import { bareValues } from './bare-values.ts'
import type { Bare, BareInsert } from './vault-place.ts'

/**
 * What a careful engineer writes by hand: prepared statements on the main thread, a transaction for each batch, as durable as ours and tuned as ours. `like`
 * has our tables with all their indexes and the full-text index, so that it makes the same pages; `rows` has the rows and the one index that keeps
 * a letter from being kept twice. Neither knows causes, counts, duplicates, or other threads.
 */
export function bareInsert(file: string, what: Bare): BareInsert {
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA page_size = ${vaultSchema.pageSize}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL`)
  db.exec(`PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = ${pagesUntilMerged}`)
  db.exec(what === 'like' ? vaultSchema.versions.join(';') : rowsOnly)
  const letters = db.prepare(insertLetter)
  const contents = db.prepare('INSERT INTO contents (letter, envelope, body) VALUES (?, ?, ?)')
  const words = what === 'like' ? db.prepare(insertWords) : undefined
  return {
    async insert(arrivals) {
      db.exec('BEGIN IMMEDIATE')
      for (const arrival of arrivals) {
        const { lastInsertRowid } = letters.run(...bareValues(arrival))
        contents.run(lastInsertRowid, arrival.envelope, arrival.body)
        words?.run(lastInsertRowid, arrival.text.failure, headerWords(arrival.text.headers))
      }
      db.exec('COMMIT')
    },
    close: async () => db.close(),
  }
}

const columns = `source, identity, state, state_since, broker, cause, channel, dialect, confidence, reason, error_type, error_message,
  message_id, type, key, correlation_id, service, version, letter, generation, attempts, failed_at, received_at, bytes`

const rowsOnly = `
  CREATE TABLE letters (id INTEGER PRIMARY KEY AUTOINCREMENT, source INTEGER, identity BLOB, state TEXT, state_since INTEGER, broker TEXT,
    cause INTEGER, channel TEXT, dialect TEXT, confidence TEXT, reason TEXT, error_type TEXT, error_message TEXT, message_id TEXT,
    type TEXT, key TEXT, correlation_id TEXT, service TEXT, version TEXT, letter TEXT, generation INTEGER, attempts INTEGER,
    failed_at INTEGER, received_at INTEGER, bytes INTEGER) STRICT;
  CREATE UNIQUE INDEX by_identity ON letters (source, identity);
  CREATE TABLE contents (letter INTEGER PRIMARY KEY, envelope TEXT, body BLOB) STRICT`

const insertLetter = `INSERT INTO letters (${columns})
  VALUES (1, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
