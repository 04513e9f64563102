import { DatabaseSync } from 'node:sqlite'
import type { Arrival } from '../../src/vault/arrival.ts'

/** What a careful engineer writes by hand: the same rows, in batches, as durable, with the one index that keeps a letter from being kept twice. */
export function bareInsert(file: string): { insert(arrivals: readonly Arrival[]): void; close(): void } {
  const db = new DatabaseSync(file)
  db.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
    CREATE TABLE letters (id INTEGER PRIMARY KEY AUTOINCREMENT, source INTEGER, identity BLOB, state TEXT, broker TEXT, cause TEXT,
      channel TEXT, dialect TEXT, confidence TEXT, reason TEXT, error_type TEXT, error_message TEXT, message_id TEXT, type TEXT,
      key TEXT, correlation_id TEXT, service TEXT, version TEXT, letter TEXT, generation INTEGER, attempts INTEGER,
      failed_at INTEGER, received_at INTEGER, bytes INTEGER) STRICT;
    CREATE UNIQUE INDEX by_identity ON letters (source, identity);
    CREATE TABLE contents (letter INTEGER PRIMARY KEY, envelope TEXT, body BLOB) STRICT`)
  const letters = db.prepare(`
    INSERT INTO letters (source, identity, state, broker, cause, channel, dialect, confidence, reason, error_type, error_message,
      message_id, type, key, correlation_id, service, version, letter, generation, attempts, failed_at, received_at, bytes)
    VALUES (1, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const contents = db.prepare('INSERT INTO contents (letter, envelope, body) VALUES (?, ?, ?)')
  return {
    insert(arrivals) {
      db.exec('BEGIN IMMEDIATE')
      for (const arrival of arrivals) {
        const { lastInsertRowid } = letters.run(
          arrival.identity.bytes,
          arrival.broker,
          arrival.cause.fingerprint,
          arrival.channel,
          arrival.dialect,
          arrival.confidence,
          arrival.reason ?? null,
          arrival.errorType ?? null,
          arrival.errorMessage ?? null,
          arrival.messageId ?? null,
          arrival.type ?? null,
          arrival.key ?? null,
          arrival.correlationId ?? null,
          arrival.service ?? null,
          arrival.version ?? null,
          arrival.letter ?? null,
          arrival.generation,
          arrival.attempts ?? null,
          arrival.failedAt,
          arrival.failedAt,
          arrival.body?.byteLength ?? 0,
        )
        contents.run(lastInsertRowid, arrival.envelope, arrival.body)
      }
      db.exec('COMMIT')
    },
    close: () => db.close(),
  }
}
