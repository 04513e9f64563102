import { hasCode } from '../../core/errors.ts'
import { nameOf } from '../leases/name-of.ts'
import type { Address } from '../seam.ts'
import type { Finding, Topology, WantedChannel } from '../topology.ts'
import type { Answer, Connection } from './connection.ts'
import { keysOf } from './keys.ts'
import { losingSettings } from './losing-settings.ts'
import type { Settings } from './options.ts'

type State = 'there' | 'missing' | 'without-group' | 'no-stream'

/** Compares the channels with what is there, and creates those that are missing: a stream with the group on it. */
export async function provision(
  connection: Connection,
  settings: Settings,
  { channels }: Topology,
  mode: 'check' | 'apply',
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const wanted of channels) {
    const state = await stateOf(connection, settings, wanted.address)
    const isMissing = state === 'missing' || state === 'without-group'
    if (isMissing && mode === 'apply') await create(connection, settings, wanted.address)
    findings.push(...standing(wanted.address, state, mode), ...differences(wanted))
  }
  return [...findings, ...(await durability(connection, channels))]
}

/** A channel is a stream with our group on it. One that others write has perhaps no group yet, and keeps what it holds for ours. */
export async function stateOf({ ask }: Connection, { prefix, group }: Settings, address: Address): Promise<State> {
  const { stream } = keysOf(prefix, nameOf(address))
  const type = String(await ask('TYPE', stream))
  if (type === 'none') return 'missing'
  if (type !== 'stream') return 'no-stream'
  const groups = (await ask('XINFO', 'GROUPS', stream)) as readonly (readonly Answer[])[]
  return groups.some(([, name]) => String(name) === group) ? 'there' : 'without-group'
}

/** Whoever wants the same at the same time finds it made. */
async function create({ ask }: Connection, { prefix, group }: Settings, address: Address): Promise<void> {
  try {
    await ask('XGROUP', 'CREATE', keysOf(prefix, nameOf(address)).stream, group, '0', 'MKSTREAM')
  } catch (error) {
    if (!(hasCode(error, 'refused') && error.message.includes('BUSYGROUP'))) throw error
  }
}

function standing(address: Address, state: State, mode: 'check' | 'apply'): Finding[] {
  if (state === 'there') return []
  if (state === 'no-stream')
    return [finding('fatal', address, 'no-stream', 'is a key that holds no stream: use another name or prefix.')]
  const what = state === 'missing' ? '' : ' its consumer group'
  return mode === 'apply'
    ? [finding('created', address, 'channel-created', `was created${what && `:${what}`}.`)]
    : [finding('missing', address, 'channel-missing', `does not exist${what && `:${what} is missing`}; apply creates it.`)]
}

function differences({ address, ttl, lanes }: WantedChannel): Finding[] {
  const findings: Finding[] = []
  if (ttl !== undefined)
    findings.push(finding('warning', address, 'ttl-not-kept', 'keeps messages of any age: ttl is not kept here. Leave it out.'))
  if (lanes)
    findings.push(
      finding('warning', address, 'lanes-unsupported', 'does not keep messages of one key in order: a stream has no lanes.'),
    )
  return findings
}

/** What is wrong with the server is told with the first channel. */
async function durability(connection: Connection, [first]: readonly WantedChannel[]): Promise<Finding[]> {
  if (first === undefined) return []
  const found = await losingSettings(connection)
  return found.map(({ severity, what, message }) => ({ severity, address: first.address, what, message }))
}

function finding(severity: Finding['severity'], address: Address, what: string, message: string): Finding {
  return { severity, address, what, message: `${nameOf(address)} ${message}` }
}
