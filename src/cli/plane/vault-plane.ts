import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { RedriveError } from '../../core/errors.ts'
import { isServerUrl } from '../../core/vault-place.ts'
import type { Access } from '../../ops/access/access.ts'
import { accessIn } from '../../ops/access/access-in.ts'
import { createControlPlane, type RunningControlPlane } from '../../ops/create-control-plane.ts'
import { onlyInTerm } from '../../ops/several/only-in-term.ts'
import { addressOf } from '../../ops/source.ts'
import type { ConfiguredSource } from '../../ops/sources.ts'
import { newUuid } from '../../platform/chance.ts'
import type { VaultKeys } from '../../platform/vault-key.ts'
import type { Transport } from '../../transports/seam.ts'
import { openVault as openPlace } from '../../vault/open-vault.ts'
import type { Hold } from '../../vault/turns.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Terminal } from '../terminal.ts'
import { openConnectionsOf, sourcesOf } from './configured.ts'
import { openConnections } from './connections.ts'
import { secrets } from './secrets.ts'

export interface VaultOptions {
  readonly file: string
  /** Where the brokers are, for a command that asks them. */
  readonly config: Config | undefined
  readonly connections: readonly string[]
  /** Makes the file where there is none; else a mistyped name would be an empty vault. */
  readonly create: boolean
  /** Who works on it. */
  readonly actor: string
  /** What contents are sealed with. */
  readonly keys: VaultKeys | undefined
}

export interface OpenedVault {
  readonly plane: RunningControlPlane
  readonly access: Access
  readonly connections: ReadonlySet<string>
  /** For a command that sends letters itself: nobody else may do that on this file meanwhile. */
  lock(): Promise<void>
  close(): Promise<void>
}

/** A control plane on the file of a vault, in this process. */
export async function openVault(options: VaultOptions, terminal: Terminal): Promise<OpenedVault> {
  const place = placeOf(options, terminal)
  const opened: { close(): Promise<void> }[] = []
  async function closeAll(): Promise<void> {
    for (const each of opened.splice(0).reverse()) await each.close()
  }
  try {
    const { vault, lock: hold } = await openPlace(place, options.keys)
    opened.push(vault)
    const configured = options.config ? await openConnectionsOf(options.config, (transport) => opened.push(transport)) : []
    const given = await openConnections(options.connections, terminal, (transport) => opened.push(transport))
    const connections = new Map([...configured, ...given])
    let held: Hold | undefined
    const plane = createControlPlane({
      vault,
      clock: terminal.clock,
      newId: newUuid,
      draw: randomBytes,
      sources: options.config ? sourcesOf(options.config, connections) : await collectedSources(vault, connections),
      transportNamed(name) {
        const transport = connections.get(name)
        return transport && onlyInTerm(transport, () => held?.isOurs() ?? true)
      },
      ...(options.config && { rules: options.config.rules, windows: options.config.maintenance }),
    })
    opened.push(plane)
    const lock = async (): Promise<void> => {
      held = await hold(() => terminal.err('redrive: a control plane has taken over the vault.\n'))
      opened.unshift({ close: held.release })
    }
    const access = accessIn({ vault, clock: terminal.clock, secrets, actor: options.actor })
    return { plane, access, connections: new Set(connections.keys()), lock, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** On a server it is made where it is not; a file only when that was asked for, because a mistyped name would be an empty vault. */
function placeOf({ file, create }: VaultOptions, { folder }: Terminal): string {
  if (isServerUrl(file)) return file
  const path = resolve(folder, file)
  if (create || existsSync(path)) return path
  throw new RedriveError('bad-option', `${relative(folder, path) || path}: there is no such vault.`)
}

/** Sources whose letters were taken from their broker: a letter that comes back is looked for there, as whoever collected them would. */
async function collectedSources(vault: Vault, connections: ReadonlyMap<string, Transport>): Promise<readonly ConfiguredSource[]> {
  if (connections.size === 0) return []
  const found: ConfiguredSource[] = []
  for (const { id, connection, ...name } of await vault.read('listSources', undefined)) {
    const transport = connections.get(connection)
    const condition = { where: 'letters.source = ?', parameters: [id] }
    const [newest] = transport ? await vault.read('findLetters', { condition, limit: 1 }) : []
    if (!transport || !newest || newest.broker === 'kept') continue
    found.push({ connection, transport, address: addressOf(name), mode: 'collect' })
  }
  return found
}
