import { RedriveError } from '../../core/errors.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { versionsIn } from '../schema.ts'
import type { TableVersion } from '../table-version.ts'
import { postgresWords } from './schema-words.ts'

/** The versions of the tables that this code knows. */
export const knownTables: readonly TableVersion[] = versionsIn(postgresWords)

/** How far the tables came. */
export interface TablesState {
  /** The newest version that was expanded to; 0 where there is no vault yet. */
  readonly version: number
  /** The newest version that nothing is left to do of. */
  readonly settled: number
  /** The oldest code that can work with them, by the version that it knows. */
  readonly oldest: number
  /** Whether the tables are there that say who has the vault, and who needs what. */
  readonly isKept: boolean
}

type Ask = Connections['ask']

/**
 * Of this database alone: a file has one control plane, and a copy has none. `control_plane` says who works, since when, and until when by the server's clock;
 * `leases` the same of what is shared out.
 */
export const bookkeeping: string = `
  CREATE TABLE IF NOT EXISTS vault_version (version integer NOT NULL);
  ALTER TABLE vault_version ADD COLUMN IF NOT EXISTS settled integer NOT NULL DEFAULT 0, ADD COLUMN IF NOT EXISTS oldest integer NOT NULL DEFAULT 0;
  CREATE TABLE IF NOT EXISTS control_plane (id integer PRIMARY KEY CHECK (id = 1), token text NOT NULL);
  ALTER TABLE control_plane ADD COLUMN IF NOT EXISTS name text NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS since timestamptz NOT NULL DEFAULT now(), ADD COLUMN IF NOT EXISTS expires_at timestamptz NOT NULL DEFAULT '-infinity';
  CREATE TABLE IF NOT EXISTS leases (
    lease text PRIMARY KEY,
    token text NOT NULL,
    name text NOT NULL,
    since timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  );
  CREATE TABLE IF NOT EXISTS instances (
    id text PRIMARY KEY,
    name text NOT NULL,
    release text NOT NULL,
    knows integer NOT NULL,
    since timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
  );
`

export async function tablesIn(ask: Ask, schema: string): Promise<TablesState> {
  // Asked of the table of tables: what the server remembers of names may be older than what was just committed.
  const tables = await ask<{ tablename: string }>(
    "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename IN ('vault_version', 'instances', 'leases')",
    [schema],
  )
  const has = (name: string): boolean => tables.some(({ tablename }) => tablename === name)
  if (!has('vault_version')) return { version: 0, settled: 0, oldest: 0, isKept: false }
  const isKept = has('instances') && has('leases')
  const [row] = await ask<{ version: number; settled: number; oldest: number }>(
    `SELECT version, ${isKept ? 'settled, oldest' : 'version AS settled, 0 AS oldest'} FROM ${schema}.vault_version`,
  )
  return { version: 0, settled: 0, oldest: 0, ...row, isKept }
}

/** What every transaction of code that knows so much asks first: whoever was frozen for an hour may be too old when it wakes up. */
export function refusingTooOld(begin: string, versions: readonly TableVersion[]): string {
  return `${begin}; SELECT refuse_code_of(${versions.length})`
}

export function refuseTooOld(schema: string, { version, oldest }: TablesState, versions: readonly TableVersion[]): void {
  const known = versions.length
  if (oldest <= known) return
  throw new RedriveError(
    'store-newer',
    `The schema ${schema} has version ${version}, which no version of Redrive before ${oldest} can use; this one knows ${known}. Upgrade Redrive; the schema was left as it is.`,
  )
}
