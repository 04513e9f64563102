import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { installPackages } from './debian.ts'
import { onPath } from './path.ts'
import { ask, httpAnswers } from './probe.ts'
import type { Command } from './process.ts'
import type { Installation, Prepared, Recipe } from './recipe.ts'
import { insideTree, installTrixieTree, trixieTree } from './trixie.ts'

/** In the cache. */
const tree = 'rabbitmq-4.0'

export const rabbitmq: Recipe = {
  name: 'rabbitmq',
  urlVariable: 'REDRIVE_RABBITMQ_URL',
  versions: ['4.0', '3.10'],
  async install(version) {
    if (find(version)) return
    if (version === '4.0') await installTrixieTree(tree, ['sed', 'grep', 'gawk', 'procps', 'hostname', 'rabbitmq-server'])
    else await installPackages(['rabbitmq-server'])
    if (!find(version)) throw new Error(`The packages of this machine do not hold RabbitMQ ${version}.`)
  },
  find,
}

/** A folder `rabbitmq_server-<version>` with its scripts in `sbin`, perhaps inside a tree with another root. */
interface Home {
  readonly version: string
  readonly scripts: string
  readonly root?: string
}

function find(version: string): Installation | undefined {
  const home = [homeOnPath(), homeInTree()].find((each) => each?.version.startsWith(`${version}.`))
  return home && { version: home.version, ports: 4, prepare: (...where) => prepare(home, ...where) }
}

function homeOnPath(): Home | undefined {
  const program = onPath('rabbitmq-server')
  if (program === undefined) return undefined
  const scripts = dirname(realpathSync(program))
  return homeOf(dirname(dirname(scripts))) ?? debianHome('')
}

function homeInTree(): Home | undefined {
  const root = trixieTree(tree)
  const home = root === undefined ? undefined : debianHome(root)
  return root === undefined || home === undefined ? undefined : { ...home, scripts: home.scripts.slice(root.length), root }
}

/** Debian's program in `sbin` changes the user and the log, so the scripts behind it are called instead. */
function debianHome(root: string): Home | undefined {
  return homeOf(join(root, '/usr/lib/rabbitmq/lib'))
}

function homeOf(parent: string): Home | undefined {
  const name = existsSync(parent) ? readdirSync(parent).find((each) => each.startsWith('rabbitmq_server-')) : undefined
  return name === undefined ? undefined : { version: name.slice('rabbitmq_server-'.length), scripts: join(parent, name, 'sbin') }
}

async function prepare(
  home: Home,
  folder: string,
  ports: readonly number[],
  settings: readonly string[],
  plugins: readonly string[],
): Promise<Prepared> {
  const [amqp = 0, management = 0, distribution = 0, epmd = 0] = ports
  await writeConfiguration(folder, amqp, management, settings)
  await writeFile(join(folder, 'enabled_plugins'), `[${['rabbitmq_management', ...plugins].join(', ')}].\n`)
  const env = environment(folder, amqp, distribution, epmd)
  const commands: Command[] = [
    // RabbitMQ would start a port mapper of its own that listens on every address and never ends.
    { program: 'epmd', args: ['-port', String(epmd), '-address', '127.0.0.1'], env, folder, log: join(folder, 'epmd.log') },
    { program: join(home.scripts, 'rabbitmq-server'), args: [], env, folder, log: join(folder, 'rabbitmq.log') },
  ]
  const { root } = home
  const rooted = (command: Command): Command => (root === undefined ? command : insideTree(root, command))
  return {
    commands: commands.map(rooted),
    control: (args) =>
      rooted({ program: join(home.scripts, 'rabbitmqctl'), args, env, folder, log: join(folder, 'rabbitmqctl.log') }),
    url: `amqp://guest:guest@127.0.0.1:${amqp}`,
    managementUrl: `http://guest:guest@127.0.0.1:${management}`,
    ready: async () => (await speaksAmqp(amqp)) && (await managementAnswers(management)),
  }
}

async function writeConfiguration(folder: string, amqp: number, management: number, more: readonly string[]): Promise<void> {
  for (const name of ['home', 'mnesia', 'log', 'schema', 'generated']) await mkdir(join(folder, name), { recursive: true })
  const settings = [
    `listeners.tcp.1 = 127.0.0.1:${amqp}`,
    'management.tcp.ip = 127.0.0.1',
    `management.tcp.port = ${management}`,
    'disk_free_limit.absolute = 64MB',
    'log.file = false',
    'log.console = true',
    'log.console.level = info',
    ...more,
  ]
  await writeFile(join(folder, 'rabbitmq.conf'), `${settings.join('\n')}\n`)
  await writeFile(join(folder, 'home/.erlang.cookie'), `REDRIVE${amqp}`, { mode: 0o400 })
}

function environment(folder: string, amqp: number, distribution: number, epmd: number): Record<string, string> {
  return {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    HOME: join(folder, 'home'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_NODENAME: `redrive${amqp}@localhost`,
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_SCHEMA_DIR: join(folder, 'schema'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(folder, 'generated'),
    RABBITMQ_PID_FILE: join(folder, 'rabbitmq.pid'),
    // A dead-letter queue that was away is tried again after seconds, and not after three minutes.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      '-kernel inet_dist_use_interface {127,0,0,1} -rabbit dead_letter_worker_publisher_confirm_timeout 5000',
    RABBITMQ_CTL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    ERL_EPMD_PORT: String(epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
  }
}

/** The server answers the protocol header with connection.start: a method frame of class 10, method 10, on channel 0. */
async function speaksAmqp(port: number): Promise<boolean> {
  const answer = await ask(port, Buffer.from('AMQP\x00\x00\x09\x01', 'latin1'))
  return answer[0] === 1 && answer.readUInt16BE(7) === 10 && answer.readUInt16BE(9) === 10
}

function managementAnswers(port: number): Promise<boolean> {
  const authorization = `Basic ${Buffer.from('guest:guest').toString('base64')}`
  return httpAnswers(`http://127.0.0.1:${port}/api/overview`, { headers: { authorization } })
}
