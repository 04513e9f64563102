import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { alertmanager } from './alertmanager.ts'
import { elasticmq } from './elasticmq.ts'
import { kafka } from './kafka.ts'
import { freePorts } from './ports.ts'
import { postgres } from './postgres.ts'
import { untilReady } from './probe.ts'
import { type RunningProcess, run } from './process.ts'
import { prometheus } from './prometheus.ts'
import { rabbitmq } from './rabbitmq.ts'
import type { BrokerName, Installation, Prepared, Recipe } from './recipe.ts'
import { redis } from './redis.ts'
import { rocketmq } from './rocketmq.ts'
import { servicebus } from './servicebus.ts'

export const recipes: Readonly<Record<BrokerName, Recipe>> = {
  rabbitmq,
  kafka,
  postgres,
  redis,
  elasticmq,
  servicebus,
  rocketmq,
  prometheus,
  alertmanager,
}

/** Busy machines start a JVM in 20 s, and one with forty processes for each core took 90; nothing healthy needs this long. */
const startWithin = 240_000

export interface StartOptions {
  readonly version?: string
  /** Where its data lives, for a disk with properties of its own. A private folder that `stop` removes unless told. */
  readonly folder?: string
  /** Lines of configuration in the broker's own words. */
  readonly settings?: readonly string[]
  /** What comes with the broker and is not on by itself. */
  readonly plugins?: readonly string[]
}

/** A real broker in a private process, with its own data, ports and log. */
export interface Broker {
  readonly name: BrokerName
  readonly version: string
  readonly url: string
  readonly managementUrl?: string
  /** Holds the data and one log per process; absent for a broker that somebody else runs. */
  readonly folder?: string
  /** Milliseconds from the first process to the first answer, of the latest start. */
  readonly startedIn: number
  /** Runs the broker's own command line to its end, such as `rabbitmqctl`; rejects when it fails. */
  control(...args: readonly string[]): Promise<void>
  /** SIGKILL. The data stays for `restart`. */
  kill(): Promise<void>
  /** SIGSTOP: connections stay open and nobody answers. */
  freeze(): void
  thaw(): void
  /** On the same ports and data; kills it first when it still runs. */
  restart(): Promise<void>
  /** Ends it and removes what it left. Calling it again is the same as calling it once. */
  stop(): Promise<void>
}

export class MissingBroker extends Error {
  /** The command that would provide it. */
  readonly command: string

  constructor(name: BrokerName, version: string) {
    const command = `npm run brokers -- install ${name} ${version}`
    super(`${name} ${version} is not on this machine. Get it with: ${command}`)
    this.name = 'MissingBroker'
    this.command = command
  }
}

/** A broker given by URL wins over one on PATH, and that over one that we installed. */
export async function startBroker(name: BrokerName, options: StartOptions = {}): Promise<Broker> {
  const recipe = recipes[name]
  const version = options.version ?? recipe.versions[0] ?? ''
  const url = process.env[recipe.urlVariable]
  if (url) return givenBroker(name, url)
  const installation = recipe.find(version)
  if (!installation) throw new MissingBroker(name, version)
  return privateBroker(name, installation, options)
}

function givenBroker(name: BrokerName, url: string): Broker {
  const refuse = (): never => {
    throw new Error(`${name} at ${recipes[name].urlVariable} is run by somebody else: it is not ours to stop or disturb.`)
  }
  return {
    name,
    version: 'given',
    url,
    startedIn: 0,
    control: refuse,
    kill: refuse,
    freeze: refuse,
    thaw: refuse,
    restart: refuse,
    async stop() {},
  }
}

async function privateBroker(name: BrokerName, installation: Installation, options: StartOptions): Promise<Broker> {
  const { folder: wantedFolder, settings = [], plugins = [] } = options
  const folder = wantedFolder ?? (await mkdtemp(join(tmpdir(), `redrive-${name}-`)))
  await mkdir(folder, { recursive: true })
  const prepared = await installation.prepare(folder, await freePorts(installation.ports), settings, plugins)
  let processes: RunningProcess[] = []
  let startedIn = 0
  const kill = async (): Promise<void> => {
    await Promise.all(processes.map((each) => each.kill()))
    processes = []
  }
  const signalAll = (name: NodeJS.Signals): void => {
    for (const each of processes) each.signal(name)
  }
  const launch = async (): Promise<void> => {
    const begun = performance.now()
    for (const command of prepared.commands) processes.push(await run(command))
    await answerOf(prepared, processes, begun + startWithin)
    startedIn = performance.now() - begun
  }
  const removeFolder = (): void => {
    if (wantedFolder === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const remove = async (): Promise<void> => {
    await kill()
    process.removeListener('exit', removeFolder)
    removeFolder()
  }
  process.once('exit', removeFolder)
  await launch().catch(async (error) => {
    await remove()
    throw error
  })
  return {
    name,
    version: installation.version,
    url: prepared.url,
    ...(prepared.managementUrl === undefined ? {} : { managementUrl: prepared.managementUrl }),
    folder,
    get startedIn() {
      return startedIn
    },
    async control(...args) {
      const command = prepared.control?.(args)
      if (!command) throw new Error(`${name} has no command line.`)
      const { code } = await (await run(command)).ended
      if (code !== 0) throw new Error(`${args.join(' ')} ended with code ${code}.\n${await readFile(command.log, 'utf8')}`)
    },
    kill,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async restart() {
      await kill()
      await launch()
    },
    stop: remove,
  }
}

/** Ready, dead or late, whichever comes first. A failed boot may exit with 0, so any exit before readiness is a failure. */
async function answerOf(prepared: Prepared, processes: readonly RunningProcess[], deadline: number): Promise<void> {
  const done = new AbortController()
  const died = Promise.race(processes.map((each) => each.ended)).then(async () => {
    if (done.signal.aborted) return
    throw new Error(`The broker ended before it was ready.\n${await lastWords(prepared)}`)
  })
  died.catch(() => {})
  try {
    await Promise.race([untilReady(prepared.ready, deadline, done.signal), died])
  } finally {
    done.abort()
  }
}

/** What it died of stands at its end, and whoever tells of a failed test shows a dozen lines. */
const linesOfLastWords = 10

async function lastWords(prepared: Prepared): Promise<string> {
  const log = prepared.commands.at(-1)?.log
  if (log === undefined) return ''
  return (await readFile(log, 'utf8')).trimEnd().split('\n').slice(-linesOfLastWords).join('\n')
}
