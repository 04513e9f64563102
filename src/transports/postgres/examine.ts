import { type Connections, createConnections } from '../../platform/postgres/connections.ts'
import { type Diagnosis, diagnosisOf, type Patient } from '../tools.ts'
import { losingSettings } from './losing-settings.ts'
import { newer, newestVersion, versionOf } from './migrate.ts'
import { type PostgresOptions, resolveOptions } from './options.ts'
import { provision } from './provision.ts'
import { queueErrors } from './server-errors.ts'

/** Asks the server how it does for these channels. It changes nothing. */
export async function examine(options: unknown, { wanted }: Patient): Promise<readonly Diagnosis[]> {
  const { schema, ...settings } = resolveOptions(options as PostgresOptions)
  const connections = createConnections(settings, queueErrors)
  try {
    const tables = await tablesOf(connections, schema)
    const server = [
      await versionDiagnosis(connections),
      ...(await durability(connections)),
      ...(await rights(connections)),
      tables,
    ]
    if (tables.severity === 'fatal') return server
    const found = (await provision(connections, schema, wanted, 'check')).map(diagnosisOf)
    return [...server, ...found.filter(({ what }) => !server.some((told) => told.what === what))]
  } finally {
    await connections.close()
  }
}

/** What the suite runs on. */
const oldest = 15

async function versionDiagnosis({ ask }: Connections): Promise<Diagnosis> {
  const [row] = await ask<{ number: string }>("SELECT current_setting('server_version_num') AS number")
  const major = Math.floor(Number(row?.number) / 10_000)
  const about = 'server'
  if (major >= oldest) return { severity: 'fine', about, what: 'version', message: `PostgreSQL ${major}.` }
  const message = `PostgreSQL ${major} is older than ${oldest}, on which the suite runs: upgrade it.`
  return { severity: 'warning', about, what: 'version-untested', message }
}

async function durability(connections: Connections): Promise<Diagnosis[]> {
  const found = await losingSettings(connections)
  if (found.length > 0) return found.map(({ severity, what, message }) => ({ severity, about: 'server', what, message }))
  const message = 'What was confirmed survives a crash of the server (synchronous_commit, fsync and full_page_writes are on).'
  return [{ severity: 'fine', about: 'server', what: 'durability', message }]
}

async function rights({ ask }: Connections): Promise<Diagnosis[]> {
  const [row] = await ask<{ superuser: boolean }>('SELECT rolsuper AS superuser FROM pg_roles WHERE rolname = current_user')
  if (!row?.superuser) return [{ severity: 'fine', about: 'user', what: 'rights', message: 'The user is no superuser.' }]
  const message = 'The user is a superuser, and may do anything on the server: use one with the rights in docs/postgres.md.'
  return [{ severity: 'warning', about: 'user', what: 'rights-too-wide', message }]
}

async function tablesOf(connections: Connections, schema: string): Promise<Diagnosis> {
  const version = await versionOf(connections, schema)
  const about = 'schema'
  if (version > newestVersion) return { severity: 'fatal', about, what: 'store-newer', message: newer(schema, version).message }
  if (version === newestVersion)
    return { severity: 'fine', about, what: 'schema', message: `The tables have version ${version}.` }
  const message = `The tables have version ${version} of ${newestVersion}; apply brings them there.`
  return { severity: 'missing', about, what: 'tables-missing', message }
}
