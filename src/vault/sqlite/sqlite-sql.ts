import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Sql, Value } from '../sql.ts'

/** Statements are prepared once each: preparing one costs more than running it. */
export function sqliteSql(db: DatabaseSync): Sql {
  const prepared = new Map<string, StatementSync>()

  function statement(text: string): StatementSync {
    const known = prepared.get(text)
    if (known) return known
    const fresh = db.prepare(text)
    prepared.set(text, fresh)
    return fresh
  }

  return {
    all: async <Row extends object>(text: string, ...parameters: readonly Value[]) => statement(text).all(...parameters) as Row[],
    get: async <Row extends object>(text: string, ...parameters: readonly Value[]) =>
      statement(text).get(...parameters) as Row | undefined,
    // Asking for the id with RETURNING costs as much again as the insert itself.
    async insert(text, ...parameters) {
      const { changes, lastInsertRowid } = statement(text).run(...parameters)
      return changes === 1 ? Number(lastInsertRowid) : undefined
    },
    run: async (text, ...parameters) => Number(statement(text).run(...parameters).changes),
  }
}
