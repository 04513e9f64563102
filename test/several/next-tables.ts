import { knownTables } from '../../src/vault/postgres/tables.ts'
import { type Transactions, transactionsOf } from '../../src/vault/postgres/transactions.ts'
import type { TableVersion } from '../../src/vault/table-version.ts'

/**
 * Tables of a version that is not there yet. Contents of letters have another name in it, and letters a column more. Code of that version says `contents`
 * as today's does, and finds it by a view of its own, whatever the table is called; today's code finds the table alone.
 */
export function nextTables(schema: string): TableVersion {
  return {
    expansion: `
      ALTER TABLE letters ADD COLUMN shop text;
      CREATE SCHEMA ${newSchema(schema)};
      CREATE VIEW ${newSchema(schema)}.contents AS SELECT * FROM ${schema}.contents;`,
    filling: { table: 'letters', key: 'id', set: "shop = 'main'", where: 'shop IS NULL' },
    contraction: `
      ALTER TABLE letters ALTER COLUMN shop SET DEFAULT 'main';
      ALTER TABLE ${schema}.contents RENAME TO kept_contents;`,
  }
}

/** Planted bug: everything at once, whoever is there. */
export function hastyTables(schema: string): TableVersion {
  const { expansion, contraction } = nextTables(schema)
  return { expansion: `${expansion};${contraction}` }
}

export function knownNext(version: TableVersion): readonly TableVersion[] {
  return [...knownTables, version]
}

/** How code of that version begins: its own names come first. */
export function nextBeginnings(schema: string, token?: string): Transactions {
  const { write, alerts, read, share } = transactionsOf(schema, token)
  const found = (begin: string): string => begin.replace('search_path TO ', `search_path TO ${newSchema(schema)}, `)
  const shared = { ...share, write: found(share.write), beside: found(share.beside) }
  return { write: found(write), alerts: found(alerts), read: found(read), share: shared }
}

function newSchema(schema: string): string {
  return `${schema}_next`
}
