import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config, ServerConfig } from '../config/config.ts'
import { createControlPlane } from '../ops/create-control-plane.ts'
import { newUuid } from '../platform/chance.ts'
import { systemClock } from '../platform/clock.ts'
import { createServer, type ServerOptions } from '../server/server.ts'
import type { Transport } from '../transports/seam.ts'
import { sqliteVault } from '../vault/sqlite/sqlite-vault.ts'
import { openConnectionsOf, sourcesOf } from './plane/configured.ts'
import { lockVault } from './plane/lock-vault.ts'

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
    opened.push(await lockVault(config.vault))
    const vault = sqliteVault({ file: config.vault })
    opened.push(() => vault.close())
    const transports = await openConnectionsOf(config, (connection) => opened.push(() => connection.close()))
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

async function listening({ host, port, behindProxy, tls }: ServerConfig): Promise<Partial<ServerOptions>> {
  if (!tls) return { host, port, behindProxy }
  return { host, port, behindProxy, tls: { cert: await readFile(tls.cert), key: await readFile(tls.key) } }
}
