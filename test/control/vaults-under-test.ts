import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe } from 'vitest'
import { queryOn } from '../../src/platform/postgres/connections.ts'
import { postgresSql, vaultTypes } from '../../src/vault/postgres/postgres-sql.ts'
import { postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import { transactionsOf } from '../../src/vault/postgres/transactions.ts'
import type { MemoryVault } from './memory-vault.ts'

/**
 * Which database the vaults of this test file are made in. Without a word it is SQLite; `on-postgres.ts` says a server before it declares the same
 * tests once more.
 */
let server: string | undefined
let made = 0
const schemas = new Map<string, string>()

export function makeVaultsOn(url: string): void {
  server = url
}

/** One of two, by where the vaults are. */
export function byPlace<T>(inFile: T, onServer: T): T {
  return server === undefined ? inFile : onServer
}

/** How often a property is tried: each try costs a hundred round trips to a server, and nothing in memory. */
export function runs(inMemory: number, onServer: number): { readonly numRuns: number } {
  return { numRuns: byPlace(inMemory, onServer) }
}

/** Declares what can only be said about a file: its pages, its log, its older versions, the threads that own it. */
export function describeFiles(name: string, declare: () => void): void {
  if (server === undefined) describe(name, declare)
}

/** On the server, where the tests are there: in the schema that stands for the file, or in one that nobody has used. */
export function serverVault(file?: string): MemoryVault | undefined {
  if (server === undefined) return undefined
  const schema = (file !== undefined && schemas.get(file)) || `vault_${process.pid}_${++made}`
  if (file !== undefined) schemas.set(file, schema)
  const vault = postgresVault({ url: `${server}?schema=${schema}`, connections: 3 })
  return {
    ...vault,
    async perform(work) {
      await vault.read('listSources', undefined)
      return within(schema, (client) => work(postgresSql(queryOn(client))))
    },
  }
}

/** Changes the database behind the vault's back, as somebody does who can write it and takes away what is in the way. */
export async function meddle(file: string, sql: string): Promise<void> {
  const schema = schemas.get(file)
  if (schema !== undefined) {
    return within(schema, async (client) => {
      await client.query(`ALTER TABLE audit DISABLE TRIGGER USER; ${sql}`)
    })
  }
  // The vault may be writing too.
  const db = new DatabaseSync(file, { timeout: 60_000 })
  db.exec(`DROP TRIGGER IF EXISTS audit_is_not_changed; DROP TRIGGER IF EXISTS audit_is_not_shortened; ${sql}`)
  db.close()
}

/** The same with everything in its way. */
export async function attempt(file: string, sql: string): Promise<void> {
  const schema = schemas.get(file)
  if (schema !== undefined) return within(schema, async (client) => void (await client.query(sql)))
  const db = new DatabaseSync(file, { timeout: 60_000 })
  try {
    db.exec(sql)
  } finally {
    db.close()
  }
}

/** Everything that the database holds, as far as anybody can look for a text in it. */
export async function everythingIn(file: string): Promise<string> {
  const schema = schemas.get(file)
  if (schema === undefined) return [file, `${file}-wal`].map((path) => readFileSync(path, 'latin1')).join('\n')
  return within(schema, async (client) => {
    const tables = await client.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema])
    const texts = []
    for (const { tablename } of tables.rows) texts.push(JSON.stringify((await client.query(`TABLE ${tablename}`)).rows))
    return texts.join('\n')
  })
}

/** Rows of a full-text index, each of which is a letter. */
export async function indexedBodies(file: string): Promise<number> {
  const count = (table: string) => `SELECT count(*) AS n FROM ${table}`
  const schema = schemas.get(file)
  if (schema !== undefined) return within(schema, async (client) => (await client.query(count('body_text'))).rows[0].n)
  const db = new DatabaseSync(file, { readOnly: true })
  const row = db.prepare(count('body_text_docsize')).get()
  db.close()
  return Number(row?.['n'])
}

async function within<T>(schema: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server, types: vaultTypes })
  await client.connect()
  try {
    await client.query(transactionsOf(schema).write)
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } finally {
    await client.end()
  }
}
