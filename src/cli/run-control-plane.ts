import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Config, ServerConfig } from '../config/config.ts'
import type { Access } from '../ops/access/access.ts'
import { accessIn } from '../ops/access/access-in.ts'
import { isReadable } from '../ops/read-source.ts'
import { type Duty, dutyAlone } from '../ops/several/duty.ts'
import { nameOf } from '../ops/source.ts'
import { systemClock } from '../platform/clock.ts'
import { createServer, type ServerOptions } from '../server/server.ts'
import type { Transport } from '../transports/seam.ts'
import { type OpenedVault, openVault } from '../vault/open-vault.ts'
import { dashboardFolder } from './dashboard-folder.ts'
import { openConnectionsOf, sinksOf, sourcesOf } from './plane/configured.ts'
import { everythingOf, otlpOf } from './plane/otlp.ts'
import { type Material, partsOf } from './plane/parts.ts'
import { secrets } from './plane/secrets.ts'
import { type TakingTurns, takingTurns } from './plane/taking-turns.ts'
import { toldOnce } from './told-once.ts'

export interface RunningServer {
  readonly address: string
  /** Where the first admin sets a password; only while there is none. */
  readonly firstLink: string | undefined
  /** Whether pages are served beside the API. */
  readonly hasDashboard: boolean
  readonly duty: () => Promise<Duty>
  close(): Promise<void>
}

export interface RunHooks {
  readonly onProblem: (problem: string) => void
  /** Of several on one vault, this one works from now on, or stands by. */
  readonly onDuty?: (works: boolean) => void
  /** Of several on one vault, this one collects a source from now on, or another one does. */
  readonly onCollecting?: (source: string, collects: boolean) => void
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
export async function runControlPlane(
  config: Config,
  { onProblem, onDuty = () => {}, onCollecting = () => {}, beforeCollecting }: RunHooks,
  open: (place: string, keys: Config['encryption']) => Promise<OpenedVault> = openVault,
): Promise<RunningServer> {
  const opened: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    const ended = []
    for (const end of opened.splice(0).reverse()) ended.push(await end().catch((error) => ({ error })))
    const failed = ended.find((end) => end !== undefined)
    if (failed) throw failed.error
  }
  try {
    const { vault, lock, join } = await open(config.vault, config.encryption)
    opened.push(() => vault.close())
    if (!join) opened.unshift((await lock(() => {})).release)
    await vault.write('useKeys', { now: systemClock.now() })
    const transports = await openConnectionsOf(config, (connection) => opened.push(() => connection.close()))
    const instance = instanceNamed(hostname(), config.alerting.redactHosts)
    const material: Material = {
      ...{ config, vault, instance, onProblem },
      sources: sourcesOf(config, transports),
      transportNamed: (name) => transports.get(name),
      sinks: sinksOf(config),
    }
    const crew = join
      ? takingTurns({ ...material, join, onDuty, onCollecting, name: `${instance} ${process.pid}` })
      : alone(material)
    const { plane, served, notifiers } = crew
    opened.push(() => notifiers.stop())
    opened.push(() => plane.close())
    opened.push(() => crew.leave())
    const tellOnce = toldOnce(systemClock, (problem) => onProblem(`${problem}. docs/errors.md says what to do about it.`))
    served.onChange((change) => {
      if (change.kind === 'problem') tellOnce(change.source, change.code)
      if (change.kind === 'conservation' && !change.holds)
        onProblem('Letters are not accounted for: GET /api/v1/conservation says which.')
    })
    const { duty } = crew
    const otlp = otlpOf(config, {
      collect: everythingOf({ controlPlane: served, vault, notifiers, duty }),
      clock: systemClock,
      onProblem,
    })
    if (otlp) opened.push(() => otlp.stop())
    const pages = dashboardFolder()
    const server = await createServer({
      controlPlane: served,
      notifiers,
      duty,
      ...(otlp && { otlp }),
      vault,
      clock: systemClock,
      ...(await listening(config.server)),
      ...config.replays,
      takesPasswords: config.login.passwords,
      ...(config.login.oidc && { oidc: config.login.oidc }),
      masking: config.mask,
      ...(pages !== undefined && { pages }),
      // Only the name of it: what a library says about a request may quote the request.
      onProblem: (problem) => onProblem(problem instanceof Error ? problem.name : 'A request failed.'),
    })
    opened.push(() => server.close())
    const firstLink = await server.firstLink()
    // Before anybody can ask for something: what was half done when the last one ended is not what somebody does now.
    if (!join) await plane.takeOver()
    const address = await server.listen()
    const access = accessIn({ vault, clock: systemClock, secrets, actor: 'redrive up' })
    if (beforeCollecting) opened.push(await beforeCollecting({ address, transports, access }))
    await crew.start()
    otlp?.start()
    return {
      address,
      firstLink: firstLink && `${config.server.publicUrl ?? address}${firstLink}`,
      hasDashboard: pages !== undefined,
      duty,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Who serves works. */
function alone(material: Material): TakingTurns {
  const { plane, notifiers } = partsOf(material)
  const duty = dutyAlone(material.instance, systemClock.now(), material.sources.filter(isReadable).map(nameOf))
  return {
    ...{ plane, notifiers, served: plane },
    duty: async () => duty,
    async start() {
      await notifiers.start()
      await plane.start()
    },
    async leave() {},
  }
}

/** What tells one control plane from another; with `isRedacted` nobody can tell from it which machine it is. */
function instanceNamed(host: string, isRedacted: boolean): string {
  return isRedacted ? `redrive-${createHash('sha256').update(host).digest('hex').slice(0, 8)}` : host
}

async function listening({ tls, ...rest }: ServerConfig): Promise<Partial<ServerOptions>> {
  return tls ? { ...rest, tls: { cert: await readFile(tls.cert), key: await readFile(tls.key) } } : rest
}
