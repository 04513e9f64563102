import type { Row, Sql } from '../sql.ts'
import type { Found } from './copied-tables.ts'

/** Rows in the order of their key. */
export interface PageQuery {
  readonly from: string
  /** Which of its rows; all of them where nobody says. */
  readonly where?: string
  readonly columns: readonly string[]
  /** Columns of which no two rows have the same values; they are among those that are read. */
  readonly key: readonly string[]
  /** What a row weighs in bytes, as far as that can be seen without reading it. */
  readonly size: string
}

const most = { rows: 2000, bytes: 8 * 1024 * 1024 }

/**
 * Page after page from behind a key on. Each holds as many rows as fit into a few megabytes, which is asked before they are read: one letter may be as
 * large as a thousand others.
 */
export async function* pagesOf(
  sql: Sql,
  query: PageQuery,
  after?: Row,
  mostRows: number = most.rows,
): AsyncGenerator<readonly Found[]> {
  for (let behind = after; ; ) {
    const rows = await howMany(sql, query, behind, mostRows)
    if (rows === 0) return
    const page = await sql.all<Found>(...statement(query, query.columns, behind, rows))
    const last = page.at(-1)
    if (!last) return
    yield page
    behind = keyOf(query, last)
  }
}

/** One row at least, however large it is. */
async function howMany(sql: Sql, query: PageQuery, behind: Row | undefined, mostRows: number): Promise<number> {
  const sizes = await sql.all<{ bytes: number }>(...statement(query, [`${query.size} AS bytes`], behind, mostRows))
  let bytes = 0
  const tooMany = sizes.findIndex((size, index) => {
    bytes += size.bytes
    return bytes > most.bytes && index > 0
  })
  return tooMany < 0 ? sizes.length : tooMany
}

function statement(
  { from, where, key }: PageQuery,
  columns: readonly string[],
  behind: Row | undefined,
  limit: number,
): [string, ...Row] {
  const places = key.map(() => '?').join(', ')
  const conditions = [...(where === undefined ? [] : [where]), ...(behind ? [`(${key.join(', ')}) > (${places})`] : [])]
  const wanted = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const text = `SELECT ${columns.join(', ')} FROM ${from} ${wanted} ORDER BY ${key.join(', ')} LIMIT ?`
  return [text, ...(behind ?? []), limit]
}

export function keyOf({ key }: PageQuery, found: Found): Row {
  return key.map((column) => found[column.slice(column.indexOf('.') + 1)] ?? null)
}
