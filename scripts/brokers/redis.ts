import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { installPackages } from './debian.ts'
import { onPath } from './path.ts'
import { ask } from './probe.ts'
import type { Command } from './process.ts'
import type { Installation, Prepared, Recipe } from './recipe.ts'
import { insideTree, installTrixieTree, trixieTree } from './trixie.ts'

/** In the cache. */
const tree = 'valkey-8.1'

/** Redis, and Valkey, which went its own way after 7.2 and is what many users have today. */
export const redis: Recipe = {
  name: 'redis',
  urlVariable: 'REDRIVE_REDIS_URL',
  versions: ['7.0', 'valkey-8.1'],
  async install(version) {
    if (find(version)) return
    if (version.startsWith('valkey')) await installTrixieTree(tree, ['valkey-server'])
    else await installPackages(['redis-server'])
    if (!find(version)) throw new Error(`The packages of this machine do not hold Redis ${version}.`)
  },
  find,
}

function find(version: string): Installation | undefined {
  return version.startsWith('valkey') ? findValkey(version.slice('valkey-'.length)) : findRedis(version)
}

function findRedis(version: string): Installation | undefined {
  const program = onPath('redis-server')
  const found = program === undefined ? undefined : versionIn(execFileSync(program, ['--version'], { encoding: 'utf8' }))
  return program !== undefined && found?.startsWith(`${version}.`) ? installation(found, program) : undefined
}

function findValkey(version: string): Installation | undefined {
  const program = onPath('valkey-server')
  const found = program === undefined ? undefined : versionIn(execFileSync(program, ['--version'], { encoding: 'utf8' }))
  if (program !== undefined && found?.startsWith(`${version}.`)) return installation(`valkey-${found}`, program)
  const root = trixieTree(tree)
  const inTree = '/usr/bin/valkey-server'
  return root !== undefined && existsSync(join(root, inTree)) ? installation(`valkey-${version}`, inTree, root) : undefined
}

function versionIn(answer: string): string | undefined {
  return /v=(\d+\.\d+\.\d+)/.exec(answer)?.[1]
}

function installation(version: string, program: string, root?: string): Installation {
  return { version, ports: 2, prepare: (folder, ports, settings) => prepare(program, root, folder, ports, settings) }
}

async function prepare(
  program: string,
  root: string | undefined,
  folder: string,
  [port = 0, clusterPort = 0]: readonly number[],
  settings: readonly string[],
): Promise<Prepared> {
  const configuration = join(folder, 'redis.conf')
  // On the disk before anything else: after a cut of power, an empty file would be a server on Redis's own port.
  await writeFile(configuration, `${lines(folder, port, clusterPort, settings).join('\n')}\n`, { flush: true })
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder, LC_ALL: 'C.UTF-8' }
  const command: Command = { program, args: [configuration], env, folder, log: join(folder, 'redis.log') }
  return {
    commands: [root === undefined ? command : insideTree(root, command)],
    url: `redis://127.0.0.1:${port}`,
    ready: () => answersPing(port),
  }
}

/**
 * Every confirmed write is on the disk: what a queue needs, and not what Redis does by itself. Nodes of a cluster talk to each other 10,000 ports
 * above unless told, where any connection of this machine may have been given that port. Later lines win.
 */
function lines(folder: string, port: number, clusterPort: number, settings: readonly string[]): readonly string[] {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `cluster-port ${clusterPort}`,
    `dir ${folder}`,
    'daemonize no',
    'save ""',
    'appendonly yes',
    'appendfsync always',
    'enable-debug-command local',
    ...settings,
  ]
}

/** While it reads its file it answers with an error. Who demands a password is there, too. */
async function answersPing(port: number): Promise<boolean> {
  const answer = (await ask(port, Buffer.from('PING\r\n'))).toString()
  return answer.startsWith('+PONG') || answer.startsWith('-NOAUTH')
}
