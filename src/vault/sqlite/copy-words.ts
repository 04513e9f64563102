import type { DatabaseSync } from 'node:sqlite'
import { halfCopied, markTable } from '../copy/half-copy.ts'
import type { CopyWords } from '../copy/place.ts'

const marked = `SELECT 1 FROM sqlite_schema WHERE name = '${markTable}'`

export function refuseHalfCopied(db: DatabaseSync, file: string): void {
  if (db.prepare(marked).get()) throw halfCopied(file)
}

export const sqliteCopyWords: CopyWords = {
  isHalfCopy: async (sql) => (await sql.get(marked)) !== undefined,
  async lastNumber(sql, table) {
    const counted = await sql.get<{ seq: number }>('SELECT seq FROM sqlite_sequence WHERE name = ?', table)
    return counted?.seq ?? (await sql.get<{ last: number | null }>(`SELECT max(id) AS last FROM ${table}`))?.last ?? 0
  },
  async countFrom(sql, table, last) {
    const isCounted = "SELECT 1 FROM sqlite_schema WHERE name = ? AND type = 'table' AND sql LIKE '%AUTOINCREMENT%'"
    if (!(await sql.get(isCounted, table))) return
    await sql.run('DELETE FROM sqlite_sequence WHERE name = ?', table)
    await sql.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', table, last)
  },
  async empty(sql, table) {
    const triggers = await sql.all<{ name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?",
      table,
    )
    for (const { name } of triggers) await sql.run(`DROP TRIGGER ${name}`)
    await sql.run(`DELETE FROM ${table}`)
    for (const trigger of triggers) await sql.run(trigger.sql)
  },
}
