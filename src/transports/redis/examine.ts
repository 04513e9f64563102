import { hasCode } from '../../core/errors.ts'
import { type Diagnosis, diagnosisOf, type Patient } from '../tools.ts'
import { type Connection, createConnection } from './connection.ts'
import { losingSettings } from './losing-settings.ts'
import { type RedisOptions, resolveOptions } from './options.ts'
import { provision } from './provision.ts'

/** Asks the server how it does for these channels. It changes nothing. */
export async function examine(options: unknown, { wanted }: Patient): Promise<readonly Diagnosis[]> {
  const settings = resolveOptions(options as RedisOptions)
  const connection = createConnection(settings)
  try {
    const server = [...(await serverDiagnoses(connection)), ...(await durability(connection))]
    const found = (await provision(connection, settings, wanted, 'check')).map(diagnosisOf)
    return [...server, ...found.filter(({ what }) => !server.some((told) => told.what === what))]
  } finally {
    await connection.close()
  }
}

async function serverDiagnoses({ ask }: Connection): Promise<Diagnosis[]> {
  try {
    const lines = String(await ask('INFO')).split('\r\n')
    const facts = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]))
    return [versionDiagnosis(facts), ...roleDiagnoses(facts)]
  } catch (error) {
    if (!hasCode(error, 'access-denied')) throw error
    const message = 'The user may not ask for INFO: whether this is the primary, and of which version, was not seen.'
    return [{ severity: 'unknown', about: 'server', what: 'server-unseen', message }]
  }
}

/** What the suite runs on. */
const oldest = 7

function versionDiagnosis(facts: ReadonlyMap<string, string>): Diagnosis {
  const valkey = facts.get('valkey_version')
  const version = valkey ?? facts.get('redis_version') ?? 'unknown'
  const name = valkey === undefined ? 'Redis' : 'Valkey'
  const about = 'server'
  if (Number.parseInt(version, 10) >= oldest) return { severity: 'fine', about, what: 'version', message: `${name} ${version}.` }
  const message = `${name} ${version} is older than ${oldest}.0, on which the suite runs: upgrade it.`
  return { severity: 'warning', about, what: 'version-untested', message }
}

function roleDiagnoses(facts: ReadonlyMap<string, string>): Diagnosis[] {
  const about = 'server'
  if (facts.get('role') === 'slave')
    return [
      { severity: 'fatal', about, what: 'replica', message: 'This is a replica, which takes nothing: connect to the primary.' },
    ]
  if (Number(facts.get('connected_slaves') ?? 0) === 0) return []
  const message = 'Replicas follow a moment later: a failover may lose what was confirmed just before. Nobody can tell from here.'
  return [{ severity: 'warning', about, what: 'failover-loses', message }]
}

async function durability(connection: Connection): Promise<Diagnosis[]> {
  const found = await losingSettings(connection)
  if (found.length > 0) return found.map(({ severity, what, message }) => ({ severity, about: 'server', what, message }))
  const message = 'What was confirmed survives a crash of the server (appendfsync always), and nothing is evicted.'
  return [{ severity: 'fine', about: 'server', what: 'durability', message }]
}
