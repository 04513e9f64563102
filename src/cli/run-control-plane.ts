import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import type { Config, ServerConfig } from '../config/config.ts'
import { isServerUrl } from '../core/vault-place.ts'
import { createNotifiers } from '../notifiers/notifiers.ts'
import type { Access } from '../ops/access/access.ts'
import { accessIn } from '../ops/access/access-in.ts'
import { createControlPlane } from '../ops/create-control-plane.ts'
import { newUuid, systemRandom } from '../platform/chance.ts'
import { systemClock } from '../platform/clock.ts'
import { freeShareOf } from '../platform/disk.ts'
import { createServer, type ServerOptions } from '../server/server.ts'
import type { Transport } from '../transports/seam.ts'
import { openVault } from '../vault/open-vault.ts'
import { dashboardFolder } from './dashboard-folder.ts'
import { openConnectionsOf, sinksOf, sourcesOf } from './plane/configured.ts'
import { everythingOf, otlpOf } from './plane/otlp.ts'
import { secrets } from './plane/secrets.ts'
import { toldOnce } from './told-once.ts'

export interface RunningServer {
  readonly address: string
  /** Where the first admin sets a password; only while there is none. */
  readonly firstLink: string | undefined
  /** Whether pages are served beside the API. */
  readonly hasDashboard: boolean
  close(): Promise<void>
}

export interface RunHooks {
  readonly onProblem: (problem: string) => void
  /** Who makes the channels that are collected; what it gives is called before everything is closed. */
  readonly beforeCollecting?: (listening: Listening) => Promise<() => Promise<void>>
}

/** The server takes requests, and nothing is collected yet. */
export interface Listening {
  readonly address: string
  readonly transports: ReadonlyMap<string, Transport>
  readonly access: Access
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
    const { vault, lock } = await openVault(config.vault, config.encryption)
    opened.push(() => vault.close())
    opened.unshift(
      await lock(() => onProblem('Another control plane has taken over the vault: this one writes nothing any more.')),
    )
    await vault.write('useKeys', { now: systemClock.now() })
    const transports = await openConnectionsOf(config, (connection) => opened.push(() => connection.close()))
    const instance = instanceNamed(hostname(), config.alerting.redactHosts)
    const notifiers = createNotifiers({
      sinks: sinksOf(config),
      vault,
      clock: systemClock,
      random: systemRandom,
      newId: newUuid,
      instance,
      onProblem: (sink, problem) => onProblem(`${sink}: ${problem}`),
    })
    opened.push(() => notifiers.stop())
    const plane = createControlPlane({
      vault,
      clock: systemClock,
      newId: newUuid,
      draw: randomBytes,
      sources: sourcesOf(config, transports),
      transportNamed: (name) => transports.get(name),
      retention: config.retention,
      // What is left on the disk of a server, it tells nobody who asks in SQL.
      ...(!isServerUrl(config.vault) && { diskFree: () => freeShareOf(dirname(config.vault)) }),
      triage: config.triage,
      ...(config.replays.needsSecondPersonAbove !== undefined && { mostAlone: config.replays.needsSecondPersonAbove }),
      alerting: {
        rules: config.rules,
        windows: config.maintenance,
        sinks: notifiers.sinks,
        onSaid: notifiers.wake,
        instance,
        timers: config.alerting.timers,
        random: systemRandom,
        ...(config.server.publicUrl !== undefined && { dashboard: config.server.publicUrl }),
      },
    })
    opened.push(() => plane.close())
    const tellOnce = toldOnce(systemClock, (problem) => onProblem(`${problem}. docs/errors.md says what to do about it.`))
    plane.onChange((change) => {
      if (change.kind === 'problem') tellOnce(change.source, change.code)
      if (change.kind === 'conservation' && !change.holds)
        onProblem('Letters are not accounted for: GET /api/v1/conservation says which.')
    })
    const otlp = otlpOf(config, {
      collect: everythingOf({ controlPlane: plane, vault, notifiers }),
      clock: systemClock,
      onProblem,
    })
    if (otlp) opened.push(() => otlp.stop())
    const pages = dashboardFolder()
    const server = await createServer({
      controlPlane: plane,
      notifiers,
      ...(otlp && { otlp }),
      vault,
      clock: systemClock,
      ...(await listening(config.server)),
      ...config.replays,
      masking: config.mask,
      ...(pages !== undefined && { pages }),
      // Only the name of it: what a library says about a request may quote the request.
      onProblem: (problem) => onProblem(problem instanceof Error ? problem.name : 'A request failed.'),
    })
    opened.push(() => server.close())
    const firstLink = await server.firstLink()
    // Before anybody can ask for something: what was half done when the last one ended is not what somebody does now.
    await plane.takeOver()
    const address = await server.listen()
    const access = accessIn({ vault, clock: systemClock, secrets, actor: 'redrive up' })
    if (beforeCollecting) opened.push(await beforeCollecting({ address, transports, access }))
    await notifiers.start()
    await plane.start()
    otlp?.start()
    return {
      address,
      firstLink: firstLink && `${config.server.publicUrl ?? address}${firstLink}`,
      hasDashboard: pages !== undefined,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** What tells one control plane from another; with `isRedacted` nobody can tell from it which machine it is. */
function instanceNamed(host: string, isRedacted: boolean): string {
  return isRedacted ? `redrive-${createHash('sha256').update(host).digest('hex').slice(0, 8)}` : host
}

async function listening({ tls, ...rest }: ServerConfig): Promise<Partial<ServerOptions>> {
  return tls ? { ...rest, tls: { cert: await readFile(tls.cert), key: await readFile(tls.key) } } : rest
}
