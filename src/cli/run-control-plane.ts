import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config, ServerConfig } from '../config/config.ts'
import { RedriveError } from '../core/errors.ts'
import { createControlPlane } from '../ops/create-control-plane.ts'
import type { ConfiguredSource } from '../ops/sources.ts'
import { newUuid } from '../platform/chance.ts'
import { systemClock } from '../platform/clock.ts'
import { systemFiles } from '../platform/files.ts'
import { createServer, type ServerOptions } from '../server/server.ts'
import { openConfigured } from '../transports/registry.ts'
import type { Transport } from '../transports/seam.ts'
import { sqliteVault } from '../vault/sqlite/sqlite-vault.ts'

export interface RunningServer {
  readonly address: string
  /** Where the first admin sets a password; only while there is none. */
  readonly firstLink: string | undefined
  close(): Promise<void>
}

export interface RunHooks {
  readonly onProblem: (problem: string) => void
  /** Who makes the channels that are collected; what it gives is called before everything is closed. */
  readonly beforeCollecting?: (transports: ReadonlyMap<string, Transport>) => Promise<() => Promise<void>>
}

/** Opens everything that a configuration names, in the order in which each needs the one before; closes it the other way round. */
export async function runControlPlane(config: Config, { onProblem, beforeCollecting }: RunHooks): Promise<RunningServer> {
  const opened: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    const ended = []
    for (const end of opened.splice(0).reverse()) ended.push(await end().catch((error) => ({ error })))
    const failed = ended.find((end) => end !== undefined)
    if (failed) throw failed.error
  }
  try {
    opened.push(await lockOf(config.vault))
    const vault = sqliteVault({ file: config.vault })
    opened.push(() => vault.close())
    const transports = new Map<string, Transport>()
    for (const [name, { transport, options }] of config.connections) {
      const connection = await openConfigured(transport, options)
      opened.push(() => connection.close())
      transports.set(name, connection)
    }
    if (beforeCollecting) opened.push(await beforeCollecting(transports))
    const plane = createControlPlane({
      vault,
      clock: systemClock,
      newId: newUuid,
      draw: randomBytes,
      sources: sourcesOf(config, transports),
      transportNamed: (name) => transports.get(name),
      retention: config.retention,
    })
    opened.push(() => plane.close())
    plane.onChange((change) => {
      if (change.kind === 'problem') onProblem(`${change.source}: ${change.code}`)
    })
    const server = await createServer({
      controlPlane: plane,
      vault,
      clock: systemClock,
      ...(await listening(config.server)),
      // Only the name of it: what a library says about a request may quote the request.
      onProblem: (problem) => onProblem(problem instanceof Error ? problem.name : 'A request failed.'),
    })
    opened.push(() => server.close())
    const firstLink = await server.firstLink()
    const address = await server.listen()
    await plane.start()
    return { address, firstLink: firstLink && `${address}${firstLink}`, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Two control planes on one file would each take the other's sends for those of a dead one. */
async function lockOf(vault: string): Promise<() => Promise<void>> {
  const unlock = await systemFiles.lock(`${vault}.lock`)
  if (unlock) return async () => unlock()
  throw new RedriveError(
    'conflict',
    `Another control plane runs on ${vault}. Stop it first, or give this one a vault of its own.`,
  )
}

function sourcesOf({ sources }: Config, transports: ReadonlyMap<string, Transport>): readonly ConfiguredSource[] {
  return sources.flatMap(({ connection, channel, part, group, mode }) => {
    const transport = transports.get(connection)
    if (!transport) return []
    const address = { name: channel, ...(part && { part }), ...(group !== undefined && { group }) }
    return [{ connection, transport, address, mode }]
  })
}

async function listening({ host, port, behindProxy, tls }: ServerConfig): Promise<Partial<ServerOptions>> {
  if (!tls) return { host, port, behindProxy }
  return { host, port, behindProxy, tls: { cert: await readFile(tls.cert), key: await readFile(tls.key) } }
}
