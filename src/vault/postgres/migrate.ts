import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { atOnce, oldestFor, type TableVersion } from '../table-version.ts'
import { functions } from './schema-words.ts'
import { bookkeeping, knownTables, refuseTooOld, type TablesState, tablesIn } from './tables.ts'
import type { Transactions } from './transactions.ts'
import { quickly, whenLetThrough } from './when-let-through.ts'

type Ask = Connections['ask']

/**
 * Brings the schema to the newest version in one transaction, as far as code of before does not mind; whoever comes at the same time waits, and finds it
 * done. A schema that is newer than this code is used as it is, as long as it has what this code uses.
 */
export async function migrate(
  { within }: Connections,
  schema: string,
  { write }: Transactions,
  versions: readonly TableVersion[] = knownTables,
  clock: Clock = systemClock,
): Promise<void> {
  const isDone = async (ask: Ask): Promise<boolean> => {
    const found = await tablesIn(ask, schema)
    refuseTooOld(schema, found, versions)
    return found.isKept && found.version >= versions.length
  }
  if (await within(isDone)) return
  await whenLetThrough(clock, () =>
    within(async (ask) => {
      if (!(await isDone(ask))) await expand(ask, schema, versions)
    }, quickly(write)),
  )
}

async function expand(ask: Ask, schema: string, versions: readonly TableVersion[]): Promise<void> {
  const found = await tablesIn(ask, schema)
  const isNew = found.version === 0
  if (isNew) await makeSchema(ask, schema)
  await ask(bookkeeping)
  await ask(functions)
  for (const version of versions.slice(found.version)) await ask(isNew ? atOnce(version) : version.expansion)
  const known = versions.length
  const reached = isNew ? { version: known, settled: known, oldest: oldestFor(versions) } : { ...found, version: known }
  await note(ask, reached)
}

async function note(ask: Ask, { version, settled, oldest }: Omit<TablesState, 'isKept'>): Promise<void> {
  await ask('DELETE FROM vault_version')
  await ask('INSERT INTO vault_version (version, settled, oldest) VALUES ($1, $2, $3)', [version, settled, oldest])
}

/** Whether anybody has made the tables, of whatever version. */
export async function isThere({ within }: Connections, schema: string): Promise<boolean> {
  return (await within((ask) => tablesIn(ask, schema))).version > 0
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
