import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { KeyRing } from '../sealing/key-ring.ts'
import type { Sql, Value } from '../sql.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

/** Every filter is a statement of its own, and nobody asks for most of them twice. */
const mostPrepared = 256

/** Statements are kept once they are prepared, because preparing one costs more than running it; the oldest makes room. */
export function sqliteSql(db: DatabaseSync, ring?: KeyRing): Sql {
  const prepared = new Map<string, StatementSync>()

  function statement(text: string): StatementSync {
    const known = prepared.get(text)
    if (known) return known
    const fresh = db.prepare(text)
    const [oldest] = prepared.keys()
    if (prepared.size >= mostPrepared && oldest !== undefined) prepared.delete(oldest)
    prepared.set(text, fresh)
    return fresh
  }

  const sql: Sql = {
    dialect: sqliteDialect,
    isAlone: true,
    lastly: (work) => work(sql),
    ring,
    all: async <Row extends object>(text: string, ...parameters: readonly Value[]) => statement(text).all(...parameters) as Row[],
    get: async <Row extends object>(text: string, ...parameters: readonly Value[]) =>
      statement(text).get(...parameters) as Row | undefined,
    // Asking for the id with RETURNING costs as much again as the insert itself.
    async insertEach(text, rows) {
      const inserting = statement(text)
      return rows.map((row) => {
        const { changes, lastInsertRowid } = inserting.run(...row)
        return changes === 1 ? Number(lastInsertRowid) : undefined
      })
    },
    async runEach(text, rows) {
      const running = statement(text)
      for (const row of rows) running.run(...row)
    },
    run: async (text, ...parameters) => Number(statement(text).run(...parameters).changes),
  }
  return sql
}
