import type { Connections } from '../../platform/postgres/connections.ts'
import { nameOf } from '../leases/name-of.ts'
import type { Address } from '../seam.ts'
import type { Finding, Topology, WantedChannel } from '../topology.ts'
import { type ChannelRow, findChannels } from './channels.ts'
import { losingSettings } from './losing-settings.ts'
import { migrate, newer, newestVersion, versionOf } from './migrate.ts'

/** Compares the channels with what is there, and creates those that are missing, with the tables that hold them. */
export async function provision(
  connections: Connections,
  schema: string,
  { channels }: Topology,
  mode: 'check' | 'apply',
): Promise<readonly Finding[]> {
  const names = channels.map(({ address }) => nameOf(address))
  if (mode === 'apply') await migrate(connections, schema)
  else await refuseNewer(connections, schema)
  const before = await findChannels(connections, schema, names)
  const missing = channels.filter(({ address }) => !before.has(nameOf(address)))
  if (mode === 'apply') await create(connections, schema, missing)
  const after = mode === 'apply' ? await findChannels(connections, schema, names) : before
  return [
    ...missing.map(({ address }) => missingFinding(address, mode)),
    ...channels.flatMap((wanted) => differences(wanted, after.get(nameOf(wanted.address)))),
    ...(await durability(connections, channels)),
  ]
}

async function refuseNewer(connections: Connections, schema: string): Promise<void> {
  const version = await versionOf(connections, schema)
  if (version > newestVersion) throw newer(schema, version)
}

/** Whoever wants the same channels at the same time finds them made, and changes nothing. */
async function create({ ask }: Connections, schema: string, missing: readonly WantedChannel[]): Promise<void> {
  if (missing.length === 0) return
  await ask(
    `INSERT INTO ${schema}.channels (name, lanes) SELECT * FROM unnest($1::text[], $2::boolean[]) ON CONFLICT (name) DO NOTHING`,
    [missing.map(({ address }) => nameOf(address)), missing.map(({ lanes = false }) => lanes)],
  )
}

function missingFinding(address: Address, mode: 'check' | 'apply'): Finding {
  return mode === 'apply'
    ? finding('created', address, 'channel-created', 'was created.')
    : finding('missing', address, 'channel-missing', 'does not exist; apply creates it.')
}

function differences({ address, ttl, lanes }: WantedChannel, found: ChannelRow | undefined): Finding[] {
  const findings: Finding[] = []
  if (ttl !== undefined)
    findings.push(finding('warning', address, 'ttl-not-kept', 'keeps messages of any age: ttl is not kept here. Leave it out.'))
  if (lanes && found?.lanes === false)
    findings.push(finding('warning', address, 'lanes-differ', 'does not keep messages of one key in order: create it anew.'))
  return findings
}

/** What is wrong with the server is told with the first channel. */
async function durability(connections: Connections, [first]: readonly WantedChannel[]): Promise<Finding[]> {
  if (first === undefined) return []
  const found = await losingSettings(connections)
  return found.map(({ severity, what, message }) => ({ severity, address: first.address, what, message }))
}

function finding(severity: Finding['severity'], address: Address, what: string, message: string): Finding {
  return { severity, address, what, message: `${nameOf(address)} ${message}` }
}
