import { markTable } from '../copy/half-copy.ts'
import type { CopyWords } from '../copy/place.ts'

const marked = `SELECT FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = '${markTable}'`

export const postgresCopyWords: CopyWords = {
  isHalfCopy: async (sql) => (await sql.get(marked)) !== undefined,
  async lastNumber(sql, table) {
    const last = "SELECT pg_sequence_last_value(pg_get_serial_sequence(?, 'id')::regclass) AS last"
    return (await sql.get<{ last: number | null }>(last, table))?.last ?? 0
  },
  async countFrom(sql, table, last) {
    if (last === 0) return
    const sequence = "pg_get_serial_sequence(?, 'id')::regclass"
    await sql.run(`SELECT setval(${sequence}, ?) WHERE ${sequence} IS NOT NULL`, table, last, table)
  },
  async empty(sql, table) {
    await sql.run(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    await sql.run(`DELETE FROM ${table}`)
    await sql.run(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
  },
}
