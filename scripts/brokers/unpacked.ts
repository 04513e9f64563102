import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder, fillOnce } from './cache.ts'
import { onPath } from './path.ts'
import { type Command, runToEnd } from './process.ts'
import type { Installation, Prepared } from './recipe.ts'

/** Programs of a Debian package that need nothing else: it is unpacked into the cache, so that nothing is installed and no service starts. */
export async function unpackPackage(name: string, version: string): Promise<void> {
  if (!onPath('dpkg')) throw new Error(`Getting ${name} needs Debian's apt-get and dpkg. Put it on PATH instead.`)
  await fillOnce(folderName(name, version), async (folder) => {
    const downloads = join(folder, 'download')
    await mkdir(downloads)
    await runToEnd('sh', ['-c', 'cd "$0" && apt-get download -qq "$1"', downloads, name])
    const [archive = ''] = await readdir(downloads)
    if (!archive.startsWith(`${name}_${version}.`))
      throw new Error(`The packages of this machine hold ${archive}, not ${name} ${version}.`)
    await runToEnd('dpkg', ['-x', join(downloads, archive), join(folder, 'root')])
  })
}

/** On PATH first, then in the cache. */
export function programOf(name: string, version: string, program: string): string | undefined {
  const unpacked = join(cacheFolder(), folderName(name, version), 'root/usr/bin', program)
  return onPath(program) ?? (existsSync(unpacked) ? unpacked : undefined)
}

/** `prepare` is told where the program is. */
export function findUnpacked(
  name: string,
  version: string,
  program: string,
  prepare: (program: string, ...where: Parameters<Installation['prepare']>) => Promise<Prepared>,
): Installation | undefined {
  const found = programOf(name, version, program)
  return found === undefined ? undefined : { version, ports: 1, prepare: (...where) => prepare(found, ...where) }
}

/**
 * The same command with the package's own files below `/usr/share`, where its program looks for them. The mount lives in a namespace of its own
 * and vanishes with the process. A program on PATH has been installed, and has its files there already.
 */
export function withItsFiles(command: Command): Command {
  const at = command.program.indexOf('/root/usr/bin/')
  if (!command.program.startsWith(cacheFolder()) || at < 0) return command
  const share = `${command.program.slice(0, at)}/root/usr/share`
  const enter = 'mount --bind "$0" /usr/share && exec "$@"'
  const args = ['--mount', '--propagation', 'private', '/bin/sh', '-c', enter, share, command.program, ...command.args]
  return { ...command, program: 'unshare', args }
}

function folderName(name: string, version: string): string {
  return `${name}-${version}`
}
