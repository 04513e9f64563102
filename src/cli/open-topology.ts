import { type DeclaredChannel, topologyFor } from '../runtime/topology.ts'
import { toolsOf } from '../transports/registry.ts'
import type { Transport } from '../transports/seam.ts'
import type { Patient, PatientChannel, Tools } from '../transports/tools.ts'
import type { Topology } from '../transports/topology.ts'
import type { Terminal } from './terminal.ts'
import { aboutFile, defaultFile, readTopologyFile, type TopologyFile } from './topology-file.ts'

export interface FileOptions {
  readonly file: string
  readonly json?: boolean
}

/** A topology file with what its transport offers, ready to be asked. */
export interface Opened {
  readonly file: TopologyFile
  readonly tools: Tools
  readonly transport: Transport
  readonly wanted: Topology
}

/** The topology is derived by the very function by which a consumer derives it at its start. Nothing is connected yet. */
export async function openTopology({ file: path }: FileOptions, terminal: Terminal): Promise<Opened> {
  const file = await readTopologyFile(path, terminal)
  return aboutFile(path, async () => {
    const tools = await toolsOf(file.transport)
    const transport = tools.open(file.connection)
    return { file, tools, transport, wanted: topologyFor(file.channels, transport) }
  })
}

export function patientOf({ file, wanted }: Opened): Patient {
  const channels = file.channels.flatMap((declared) => {
    const found = wanted.channels.find(({ address }) => address.name === declared.settings.name)
    return found ? [patientChannel(declared, found)] : []
  })
  return { wanted, channels }
}

function patientChannel({ settings }: DeclaredChannel, wanted: PatientChannel['wanted']): PatientChannel {
  const { deadLettering, onDeadLetterFailure, maxHold } = settings
  return { wanted, deadLettering, onDeadLetterFailure, maxHold }
}

export const fileOption: readonly [flags: string, description: string, fallback: string] = [
  '-f, --file <path>',
  'the topology file: .json, or a module with a default export',
  defaultFile,
]
export const jsonOption: readonly [flags: string, description: string] = ['--json', 'one line of JSON, and nothing else']
