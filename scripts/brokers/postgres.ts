import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, chown, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { installPackages, requireRoot } from './debian.ts'
import { onPath } from './path.ts'
import { ask } from './probe.ts'
import { type Command, run } from './process.ts'
import type { Installation, Prepared, Recipe } from './recipe.ts'

export const postgres: Recipe = {
  name: 'postgres',
  urlVariable: 'REDRIVE_POSTGRES_URL',
  versions: ['15'],
  async install(version) {
    if (find(version)) return
    requireRoot(`installing PostgreSQL ${version}`)
    await forbidMainCluster()
    await installPackages([`postgresql-${version}`])
    if (!find(version)) throw new Error(`The packages of this machine do not hold PostgreSQL ${version}.`)
  },
  find,
}

/** The package would make a database of its own, which a later boot would start. */
async function forbidMainCluster(): Promise<void> {
  const folder = '/etc/postgresql-common/createcluster.d'
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'redrive.conf'), 'create_main_cluster = false\n')
}

function find(version: string): Installation | undefined {
  const programs = [onPath('postgres'), `/usr/lib/postgresql/${version}/bin/postgres`]
  for (const program of programs) {
    const found = program !== undefined && existsSync(program) ? versionOf(program) : undefined
    if (program !== undefined && found?.startsWith(`${version}.`))
      return {
        version: found,
        ports: 1,
        prepare: (folder, ports, settings) => prepare(program, version, folder, ports, settings),
      }
  }
  return undefined
}

function versionOf(program: string): string | undefined {
  return /\d+\.\d+/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[0]
}

const user = 'redrive'

async function prepare(
  program: string,
  version: string,
  folder: string,
  ports: readonly number[],
  settings: readonly string[],
): Promise<Prepared> {
  const [port = 0] = ports
  const data = join(folder, 'data')
  const command = (name: string, ...args: string[]): Command =>
    unprivileged({
      program: name,
      args,
      env: { PATH: '/usr/bin:/bin', HOME: folder, LC_ALL: 'C.UTF-8' },
      folder,
      log: join(folder, 'postgres.log'),
    })
  await giveAway(folder)
  if (!existsSync(data)) {
    const initdb = besides(program, version, 'initdb')
    await finish(command(initdb, '-D', data, '-U', user, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'))
    await appendFile(join(data, 'postgresql.conf'), `${configuration(port, settings)}\n`)
  }
  return {
    commands: [command(program, '-D', data)],
    url: `postgres://${user}@127.0.0.1:${port}/postgres`,
    ready: () => letsIn(port),
  }
}

/** A program on PATH may be a link into the folder that holds the others. */
function besides(program: string, version: string, name: string): string {
  const neighbour = join(dirname(program), name)
  return existsSync(neighbour) ? neighbour : `/usr/lib/postgresql/${version}/bin/${name}`
}

function configuration(port: number, settings: readonly string[]): string {
  return [
    "listen_addresses = '127.0.0.1'",
    `port = ${port}`,
    "unix_socket_directories = ''",
    'shared_buffers = 64MB',
    'max_connections = 200',
    'log_checkpoints = off',
    ...settings,
  ].join('\n')
}

/** PostgreSQL refuses to run as root. */
function unprivileged(command: Command): Command {
  if (process.getuid?.() !== 0) return command
  const change = ['--reuid=postgres', '--regid=postgres', '--clear-groups']
  return { ...command, program: 'setpriv', args: [...change, command.program, ...command.args] }
}

async function giveAway(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  await chown(folder, idOf('-u'), idOf('-g'))
}

async function finish(command: Command): Promise<void> {
  const { code } = await (await run(command)).ended
  if (code !== 0) throw new Error(`The data folder could not be made; ${command.log} says why.`)
}

/** A startup message, version 3.0, is answered with R once clients are let in, and with an error while it recovers. */
async function letsIn(port: number): Promise<boolean> {
  const parameters = Buffer.from(`user\0${user}\0database\0postgres\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(head.length + parameters.length, 0)
  head.writeInt32BE(3 << 16, 4)
  const answer = await ask(port, Buffer.concat([head, parameters]))
  return answer[0] === 'R'.charCodeAt(0)
}
