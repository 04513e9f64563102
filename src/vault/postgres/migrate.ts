import { RedriveError } from '../../core/errors.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { versionsIn } from '../schema.ts'
import { functions, postgresWords } from './schema-words.ts'
import type { Transactions } from './transactions.ts'

const versions = versionsIn(postgresWords)

type Ask = Connections['ask']

/** Brings the schema to the newest version in one transaction; whoever comes at the same time waits, and finds it done. */
export async function migrate({ within }: Connections, schema: string, { write }: Transactions): Promise<void> {
  if (await within((ask) => isNewest(ask, schema))) return
  await within(async (ask) => {
    const version = await versionOf(ask, schema)
    if (version > versions.length) throw newer(schema, version)
    if (await isNewest(ask, schema)) return
    if (version === 0) await makeSchema(ask, schema)
    await ask(functions)
    for (const step of versions.slice(version)) await ask(step)
    await ask('CREATE TABLE IF NOT EXISTS vault_version (version integer NOT NULL)')
    await ask('CREATE TABLE IF NOT EXISTS control_plane (id integer PRIMARY KEY CHECK (id = 1), token text NOT NULL)')
    await ask(leaseColumns)
    await ask(leases)
    await ask('DELETE FROM vault_version')
    await ask('INSERT INTO vault_version VALUES ($1)', [versions.length])
  }, write)
}

/** Who works, since when, and until when by the server's clock. Of this database alone: a file has one control plane, and a copy has none. */
const leaseColumns = `ALTER TABLE control_plane ADD COLUMN IF NOT EXISTS name text NOT NULL DEFAULT '',
  ADD COLUMN IF NOT EXISTS since timestamptz NOT NULL DEFAULT now(), ADD COLUMN IF NOT EXISTS expires_at timestamptz NOT NULL DEFAULT '-infinity'`

/** The same of what is shared out, and who is there to share: older versions know only the one above, and go on beside it. */
const leases = `CREATE TABLE IF NOT EXISTS leases (lease text PRIMARY KEY, token text NOT NULL, name text NOT NULL,
  since timestamptz NOT NULL, expires_at timestamptz NOT NULL)`

/** The leases came last. */
async function isNewest(ask: Ask, schema: string): Promise<boolean> {
  if ((await versionOf(ask, schema)) !== versions.length) return false
  const sql = "SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'leases'"
  return (await ask(sql, [schema])).length > 0
}

/** Whether anybody has made the tables, of whatever version. */
export async function isThere({ within }: Connections, schema: string): Promise<boolean> {
  return (await within((ask) => versionOf(ask, schema))) > 0
}

/** 0 where there is no vault yet. */
async function versionOf(ask: Ask, schema: string): Promise<number> {
  // Asked of the table of tables: what the server remembers of names may be older than what was just committed.
  const sql = "SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'vault_version'"
  if ((await ask(sql, [schema])).length === 0) return 0
  const [row] = await ask<{ version: number }>(`SELECT version FROM ${schema}.vault_version`)
  return row?.version ?? 0
}

/** Only who may make a schema makes one; where it is there, it must be empty. */
async function makeSchema(ask: Ask, schema: string): Promise<void> {
  const there = await ask('SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1', [schema])
  if (there.length === 0) return void (await ask(`CREATE SCHEMA ${schema}`))
  const tables = await ask('SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 LIMIT 1', [schema])
  if (tables.length === 0) return
  throw new RedriveError(
    'bad-option',
    `The schema ${schema} holds tables of another program. Give the vault a schema of its own.`,
  )
}

function newer(schema: string, version: number): RedriveError {
  return new RedriveError(
    'store-newer',
    `The schema ${schema} has version ${version}; this version of Redrive knows ${versions.length}. Upgrade Redrive; it was left as it is.`,
  )
}
