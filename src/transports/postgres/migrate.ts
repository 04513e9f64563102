import { RedriveError } from '../../core/errors.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { functions } from './functions.ts'
import { leased, tables, vacuumedFaster } from './tables.ts'

/** Letters are moved in fewer steps; later, all locks are taken in one order. */
const onlyFunctions = ''

/**
 * Each brings the tables from the version before to its own. What was released is never changed, only followed by another. Functions hold nothing:
 * whatever the step, all of them are replaced.
 */
const versions: readonly string[] = [tables, onlyFunctions, leased, onlyFunctions, vacuumedFaster, onlyFunctions]

export const newestVersion: number = versions.length

/** 0 where there is no queue yet. */
export async function versionOf({ ask }: Pick<Connections, 'ask'>, schema: string): Promise<number> {
  // Asked of the table of tables: what the server remembers of names may be older than what was just committed.
  const sql = "SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'schema_version'"
  if ((await ask(sql, [schema])).length === 0) return 0
  const [row] = await ask<{ version: number }>(`SELECT version FROM ${schema}.schema_version`)
  return row?.version ?? 0
}

/** Brings the schema to the newest version in one transaction; whoever comes at the same time waits, and finds it done. */
export async function migrate(connections: Connections, schema: string): Promise<void> {
  const found = await versionOf(connections, schema)
  if (found > newestVersion) throw newer(schema, found)
  if (found === newestVersion) return
  await connections.within(async (ask) => {
    await ask("SELECT pg_advisory_xact_lock(hashtext('redrive migrate'), hashtext($1))", [schema])
    const version = await versionOf({ ask }, schema)
    if (version >= newestVersion) return
    if (version === 0) await ask(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
    await ask(`SET LOCAL search_path TO ${schema}, pg_temp`)
    await ask('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)')
    for (const step of versions.slice(version)) await ask(step)
    await ask(functions)
    await ask('DELETE FROM schema_version')
    await ask('INSERT INTO schema_version VALUES ($1)', [newestVersion])
  })
}

export function newer(schema: string, version: number): RedriveError {
  const advice = `Its tables have version ${version}, and this one knows ${newestVersion}. Use the newer Redrive.`
  return new RedriveError('store-newer', `The schema ${schema} was written by a newer version of Redrive. ${advice}`)
}
