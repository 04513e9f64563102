import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder, fillOnce } from './cache.ts'
import { onPath } from './path.ts'
import { freePorts } from './ports.ts'
import { httpAnswers, untilReady } from './probe.ts'
import { run, runToEnd } from './process.ts'

/**
 * Toxiproxy, a TCP proxy with faults, in front of any broker. It is no broker itself: it starts in milliseconds, keeps nothing,
 * and one process serves any number of brokers.
 */
export interface Toxiproxy {
  /** A new port that leads to this one. */
  before(port: number): Promise<FaultyWay>
  stop(): Promise<void>
}

/** `upstream` is what the client says, `downstream` what the broker answers. */
export type Direction = 'upstream' | 'downstream'

/** One way from clients to a broker. */
export interface FaultyWay {
  readonly port: number
  /** Ends every connection; new ones are refused until `heal`. */
  cut(): Promise<void>
  /** Connections stay open, and every byte in that direction vanishes until `heal`. */
  swallow(direction: Direction): Promise<void>
  heal(): Promise<void>
}

const version = '2.12.0'
const module = `github.com/Shopify/toxiproxy/v2/cmd/server@v${version}`
const startWithin = 120_000
const program = 'server'

export class MissingToxiproxy extends Error {
  constructor() {
    const command = 'npm run brokers -- install toxiproxy'
    super(`Toxiproxy is not on this machine, and neither is Go to build it. Install Go, then: ${command}`)
    this.name = 'MissingToxiproxy'
  }
}

/** Builds it once, in half a minute; does nothing when it is there. */
export async function installToxiproxy(): Promise<void> {
  if (findToxiproxy()) return
  if (!onPath('go')) throw new MissingToxiproxy()
  await fillOnce(`toxiproxy-${version}`, (folder) => runToEnd('go', ['install', module], { GOBIN: folder }))
}

/** Where it is: on PATH first, then in the cache; `undefined` when it is nowhere. */
export function findToxiproxy(): string | undefined {
  const cached = join(cacheFolder(), `toxiproxy-${version}`, program)
  return onPath('toxiproxy-server') ?? (existsSync(cached) ? cached : undefined)
}

/** Rejects with `MissingToxiproxy` where it can be neither found nor built. */
export async function startToxiproxy(): Promise<Toxiproxy> {
  await installToxiproxy()
  const found = findToxiproxy() ?? program
  const folder = mkdtempSync(join(tmpdir(), 'redrive-toxiproxy-'))
  const [port = 0] = await freePorts(1)
  const args = ['-host', '127.0.0.1', '-port', String(port)]
  const proxy = await run({ program: found, args, env: {}, folder, log: join(folder, 'toxiproxy.log') })
  const api = `http://127.0.0.1:${port}`
  const died = new AbortController()
  void proxy.ended.then(() => died.abort(new Error('Toxiproxy ended before it was ready.')))
  await untilReady(() => httpAnswers(`${api}/version`), performance.now() + startWithin, died.signal)
  let ways = 0
  return {
    before: async (target) => openWay(api, `way-${++ways}`, target),
    async stop() {
      await proxy.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openWay(api: string, name: string, target: number): Promise<FaultyWay> {
  const [port = 0] = await freePorts(1)
  const call = async (method: string, path: string, body?: unknown): Promise<void> => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${api}${path}`, { method, ...json })
    const text = await response.text()
    if (!response.ok && response.status !== 404) throw new Error(`Toxiproxy: ${method} ${path}: ${response.status} ${text}`)
  }
  const listen = `127.0.0.1:${port}`
  await call('POST', '/proxies', { name, listen, upstream: `127.0.0.1:${target}`, enabled: true })
  return {
    port,
    cut: () => call('POST', `/proxies/${name}`, { enabled: false }),
    swallow: (stream) =>
      call('POST', `/proxies/${name}/toxics`, { name: stream, type: 'timeout', stream, attributes: { timeout: 0 } }),
    async heal() {
      for (const stream of ['upstream', 'downstream']) await call('DELETE', `/proxies/${name}/toxics/${stream}`)
      await call('POST', `/proxies/${name}`, { enabled: true })
    },
  }
}
