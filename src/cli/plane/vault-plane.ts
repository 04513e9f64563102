import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { RedriveError } from '../../core/errors.ts'
import { createControlPlane, type RunningControlPlane } from '../../ops/create-control-plane.ts'
import { newUuid } from '../../platform/chance.ts'
import type { Transport } from '../../transports/seam.ts'
import { sqliteVault } from '../../vault/sqlite/sqlite-vault.ts'
import type { Terminal } from '../terminal.ts'
import { openConnections } from './connections.ts'

export interface VaultOptions {
  readonly file: string
  readonly connections: readonly string[]
  /** Makes the file where there is none; else a mistyped name would be an empty vault. */
  readonly create: boolean
}

export interface OpenedVault {
  readonly plane: RunningControlPlane
  readonly connections: ReadonlySet<string>
  close(): Promise<void>
}

type Vault = ReturnType<typeof sqliteVault>
type Sources = Parameters<typeof createControlPlane>[0]['sources']

/** A control plane on the file of a vault, in this process. The only file of the command line that opens one. */
export async function openVault({ file, connections: given, create }: VaultOptions, terminal: Terminal): Promise<OpenedVault> {
  const path = resolve(terminal.folder, file)
  if (!create && !existsSync(path)) {
    throw new RedriveError('bad-option', `${relative(terminal.folder, path) || path}: there is no such vault.`)
  }
  const connections = await openConnections(given, terminal)
  const vault = sqliteVault({ file: path })
  async function closeAll(): Promise<void> {
    await Promise.all([...connections.values()].map((transport) => transport.close()))
    await vault.close()
  }
  const sources = await collectedSources(vault, connections).catch((error) => closeAll().then(() => Promise.reject(error)))
  const plane = createControlPlane({
    vault,
    clock: terminal.clock,
    newId: newUuid,
    draw: randomBytes,
    sources,
    transportNamed: (name) => connections.get(name),
  })
  return {
    plane,
    connections: new Set(connections.keys()),
    async close() {
      await plane.close()
      await closeAll()
    },
  }
}

/** Sources whose letters were taken from their broker: a letter that comes back is looked for there, as whoever collected them would. */
async function collectedSources(vault: Vault, connections: ReadonlyMap<string, Transport>): Promise<Sources> {
  if (connections.size === 0) return []
  const found: Sources[number][] = []
  for (const { id, connection, channel, part } of await vault.read('listSources', undefined)) {
    const transport = connections.get(connection)
    const condition = { where: 'letters.source = ?', parameters: [id] }
    const [newest] = transport ? await vault.read('findLetters', { condition, limit: 1 }) : []
    if (!transport || !newest || newest.broker === 'kept') continue
    const address = { name: channel, ...(part !== '' && { part: 'dead-letter' as const }) }
    found.push({ connection, transport, address, mode: 'collect' })
  }
  return found
}
