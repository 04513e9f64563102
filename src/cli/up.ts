import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { alertingOf, defaultConfigFile, readConfigFile } from '../config/read-config.ts'
import { defaultRules } from '../core/alerts/default-rules.ts'
import { RedriveError } from '../core/errors.ts'
import { startDemo } from '../demo/demo.ts'
import { channels } from '../demo/payments.ts'
import type { Access } from '../ops/access/access.ts'
import { systemRandom } from '../platform/chance.ts'
import { systemClock } from '../platform/clock.ts'
import { shownVault } from '../vault/open-vault.ts'
import type { Listening, RunningServer } from './run-control-plane.ts'
import { shown, type Terminal } from './terminal.ts'

const defaultPort = 7333
const repairAfter = 30_000
const demoConnection = 'payments'

interface UpOptions {
  readonly config?: string
  readonly demo?: boolean
}

export function addUp(program: Command, terminal: Terminal): void {
  program
    .command('up')
    .description('Runs the control plane: collects dead letters, groups them, and serves the API.')
    .option('--config <file>', `the configuration (default: ${defaultConfigFile}, where there is one)`)
    .option('--demo', 'a payment service that fails, on the embedded queue; also what runs without a configuration')
    .addHelpText(
      'after',
      `
REDRIVE_PORT (default ${defaultPort}) and REDRIVE_DATA (default ./redrive-data) say where the demo listens and keeps its files.

Examples:
  redrive up
  redrive up --config /etc/redrive/redrive.yaml`,
    )
    .action(async (options: UpOptions) => up(options, terminal))
}

async function up(options: UpOptions, terminal: Terminal): Promise<void> {
  const file = configFile(options, terminal)
  const config = file === undefined ? await demoConfig(terminal) : await readConfigFile(file, terminal.environment)
  // Only here: every other command starts without a server to load.
  const { runControlPlane } = await import('./run-control-plane.ts')
  const running = await runControlPlane(config, {
    onProblem: (problem) => terminal.err(`redrive: ${shown(problem)}\n`),
    onDuty: (works) => terminal.out(works ? 'This control plane works.\n' : 'This control plane stands by.\n'),
    onCollecting: (source, collects) =>
      terminal.out(
        `This control plane ${collects ? 'collects' : 'does not collect'} ${shown(source)}${collects ? '' : ' any more'}.\n`,
      ),
    ...(file === undefined && { beforeCollecting: demoOn }),
  })
  tell(terminal, running, config, file === undefined)
  await tellWhoWorks(terminal, running)
  await stopped()
  terminal.out('Stopping.\n')
  await running.close()
}

function configFile({ config, demo }: UpOptions, { folder }: Terminal): string | undefined {
  if (config !== undefined && demo)
    throw new RedriveError('bad-option', '--demo has a configuration of its own: leave out --config.')
  if (config !== undefined) return resolve(folder, config)
  const found = join(folder, defaultConfigFile)
  return !demo && existsSync(found) ? found : undefined
}

async function demoConfig({ environment, folder }: Terminal): Promise<Config> {
  const data = resolve(folder, environment['REDRIVE_DATA'] ?? 'redrive-data')
  await mkdir(data, { recursive: true })
  return {
    vault: join(data, 'vault.db'),
    server: {
      host: '127.0.0.1',
      port: portOf(environment['REDRIVE_PORT']),
      behindProxy: false,
      session: { idle: 30 * 60_000, absolute: 10 * 3_600_000 },
    },
    connections: new Map([[demoConnection, { transport: 'embedded', options: { file: join(data, 'queue.db') } }]]),
    sources: [{ connection: demoConnection, channel: channels.deadSettlements, mode: 'collect' }],
    retention: {},
    mask: { headers: [], paths: [] },
    replays: {},
    triage: [],
    rules: defaultRules,
    maintenance: [],
    notifiers: new Map(),
    alerting: alertingOf({}),
    login: { passwords: true },
  }
}

function portOf(text: string | undefined): number {
  if (text === undefined) return defaultPort
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new RedriveError('bad-option', `REDRIVE_PORT is ${JSON.stringify(text)}; it must be a number from 0 to 65535.`)
}

async function demoOn({ address, transports, access }: Listening): Promise<() => Promise<void>> {
  const transport = transports.get(demoConnection)
  if (!transport) return async () => {}
  const controlPlane = { url: address, token: await demoToken(access), instance: 'demo' }
  const { stop } = await startDemo({ transport, clock: systemClock, random: systemRandom, repairAfter, controlPlane })
  return stop
}

const demoGrant = { role: 'consumer', sources: ['*'], reveal: false }
const demoUser = 'demo'
const demoDays = 366

/** A new one at every start, because nobody keeps the old one; that ends. */
async function demoToken({ users, tokens }: Access): Promise<string> {
  const known = await users.list()
  const { id } = known.find(({ name }) => name === demoUser) ?? (await users.create({ name: demoUser, ...demoGrant })).user
  const old = (await tokens.list()).filter(({ user, revokedAt }) => user === id && revokedAt === null)
  for (const token of old) await tokens.revoke(token.id)
  const { secret } = await tokens.create({ user: demoUser, name: 'the demo reports', days: demoDays, ...demoGrant })
  return secret
}

function tell(terminal: Terminal, running: RunningServer, { vault }: Config, isDemo: boolean): void {
  const { address, firstLink, hasDashboard } = running
  terminal.out(`Redrive is up at ${address}, its vault is ${shown(shownVault(vault))}. Ctrl-C stops it.\n`)
  if (!hasDashboard) terminal.out('There is no dashboard in this folder, only the API: npm start builds it.\n')
  if (firstLink !== undefined) terminal.out(`Set the password of the first admin, within the hour: ${firstLink}\n`)
  if (isDemo) {
    const redrive = terminal.startedAs ?? 'redrive'
    terminal.out(
      `This is the demo: payments fail for four causes; one of them is repaired after ${repairAfter / 1000} s. In another terminal:
  ${redrive} causes --vault ${shown(vault)}
  ${redrive} consumers --vault ${shown(vault)}
  ${redrive} letters --vault ${shown(vault)}\n`,
    )
  }
}

async function tellWhoWorks(terminal: Terminal, { duty }: RunningServer): Promise<void> {
  const { works, worker } = await duty()
  const who = worker ? `${shown(worker.name)} works on this vault` : 'Nobody works on this vault at the moment'
  if (!works) terminal.out(`${who}: this control plane stands by.\n`)
}

/** The first Ctrl-C stops in order; a second one ends the process as the system does it. */
function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve())
  })
}
