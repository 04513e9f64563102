import { DatabaseSync } from 'node:sqlite'
import { type Order, orderMessage } from './payload.ts'

export interface HandWrittenQueue {
  fill(messages: number): void
  /** Until the queue is empty, in batches: what is done and the next lease share one transaction, so one flush a batch. */
  consume(batchSize: number, answer: 'complete' | 'retry-once' | 'move'): Promise<void>
  close(): void
}

interface Row {
  readonly id: number
  readonly body: Uint8Array
  readonly attempts: number
}

/** The loop that a careful engineer writes: leases that survive a crash, full durability, nothing else. It keeps no order and no headers. */
export function handWrittenQueue(file: string): HandWrittenQueue {
  const db = new DatabaseSync(file)
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE messages (
      id INTEGER PRIMARY KEY, body BLOB NOT NULL, visible_at INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX ready ON messages (visible_at, id);
    CREATE TABLE dead_letters (id INTEGER PRIMARY KEY, body BLOB NOT NULL, reason TEXT NOT NULL);
  `)
  const insert = db.prepare('INSERT INTO messages (body) VALUES (?)')
  const lease = db.prepare(`
    UPDATE messages SET visible_at = ?1 + 30000, attempts = attempts + 1
    WHERE id IN (SELECT id FROM messages WHERE visible_at <= ?1 ORDER BY visible_at, id LIMIT ?2) RETURNING id, body, attempts
  `)
  const remove = db.prepare('DELETE FROM messages WHERE id = ?')
  const retry = db.prepare('UPDATE messages SET visible_at = ? WHERE id = ?')
  const bury = db.prepare("INSERT INTO dead_letters SELECT id, body, 'failed' FROM messages WHERE id = ?")
  const decoder = new TextDecoder('utf-8', { fatal: true })

  function inTransaction<T>(work: () => T): T {
    db.exec('BEGIN IMMEDIATE')
    const result = work()
    db.exec('COMMIT')
    return result
  }

  function settle(row: Row, answer: 'complete' | 'retry-once' | 'move'): boolean {
    if (answer === 'retry-once' && row.attempts === 1) {
      retry.run(Date.now() + 1, row.id)
      return false
    }
    if (answer === 'move') bury.run(row.id)
    remove.run(row.id)
    return true
  }

  return {
    fill(messages) {
      inTransaction(() => {
        for (let id = 0; id < messages; id++) insert.run(orderMessage(id).body)
      })
    },
    async consume(batchSize, answer) {
      const { left: total } = db.prepare('SELECT count(*) AS left FROM messages').get() as { left: number }
      let batch: Row[] = []
      for (let left = total; left > 0; ) {
        batch = inTransaction(() => {
          for (const row of batch) if (settle(row, answer)) left--
          return lease.all(Date.now(), batchSize) as unknown as Row[]
        })
        for (const { body } of batch) await handle(JSON.parse(decoder.decode(body)) as Order)
      }
    },
    close: () => db.close(),
  }
}

async function handle(_order: Order): Promise<void> {}
