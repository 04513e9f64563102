import { DatabaseSync } from 'node:sqlite'
import type { Dialect } from '../dialect.ts'
import { vaultSchema } from '../schema.ts'
import type { Row, Value } from '../sql.ts'
import type { PageQuery } from './pages.ts'
import { wordTables } from './word-tables.ts'

export type Found = Readonly<Record<string, Value>>

/** A table of the vault, as it is read, written and compared. */
export interface CopiedTable {
  readonly name: string
  /** Columns that are written. */
  readonly columns: readonly string[]
  /** What is read in the source, and what is written for each row of it. */
  readonly reading: PageQuery
  rowOf(found: Found, target: Dialect): Row
  /** What is compared in the end, in both. */
  readonly comparing: PageQuery
  /** Whether its rows are numbered in a column `id`. */
  readonly isNumbered: boolean
}

/**
 * Every table of the vault, asked of a database that is made by the schema itself: a table or a column that a later version adds is copied, and nobody has
 * to remember that.
 */
export function copiedTables(): readonly CopiedTable[] {
  const db = new DatabaseSync(':memory:')
  try {
    db.exec(vaultSchema.versions.join(';'))
    const tables = db.prepare('SELECT name, type FROM pragma_table_list ORDER BY name').all() as unknown as readonly Listed[]
    return tables.filter(isOurs).map((table) => describedBy(db, table))
  } finally {
    db.close()
  }
}

interface Listed {
  readonly name: string
  readonly type: string
}

interface Column {
  readonly name: string
  readonly type: string
  /** Its place in the key, from 1 on; 0 where it is no part of it. */
  readonly pk: number
}

/** What a full-text index is made of inside is no table of ours. */
function isOurs({ name, type }: Listed): boolean {
  return !name.startsWith('sqlite_') && (type === 'table' || type === 'virtual')
}

function describedBy(db: DatabaseSync, { name, type }: Listed): CopiedTable {
  const columns = db
    .prepare('SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden = 0')
    .all(name) as unknown as readonly Column[]
  return type === 'virtual' ? tableOfWords(name, columns) : tableOfRows(name, columns)
}

function tableOfRows(name: string, described: readonly Column[]): CopiedTable {
  const columns = described.map((column) => column.name)
  const key = described.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk)
  if (key.length === 0) throw new Error(`The table ${name} has no key by which it could be read in order.`)
  const texts = described
    .filter((column) => column.type !== 'INTEGER')
    .map((column) => `coalesce(octet_length(${column.name}), 0)`)
  const reading = { from: name, columns, key: key.map((column) => column.name), size: texts.join(' + ') || '0' }
  return {
    ...{ name, columns, reading, comparing: reading },
    rowOf: (found) => columns.map((column) => found[column] ?? null),
    isNumbered: key.length === 1 && key[0]?.name === 'id',
  }
}

/** SQLite keeps the words of a row, and not the text: that is made anew of the letter. So only which rows there are is compared. */
function tableOfWords(name: string, described: readonly Column[]): CopiedTable {
  const words = wordTables[name]
  if (!words) throw new Error(`Nobody knows what the words in ${name} are made of.`)
  return {
    name,
    columns: ['rowid', ...described.map((column) => column.name)],
    ...words,
    comparing: { from: name, columns: [`${name}.rowid AS rowid`], key: [`${name}.rowid`], size: '0' },
    isNumbered: false,
  }
}
