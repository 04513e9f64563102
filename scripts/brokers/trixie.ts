import { existsSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder, fillOnce } from './cache.ts'
import { installPackages, requireRoot } from './debian.ts'
import { onPath } from './path.ts'
import { type Command, runToEnd } from './process.ts'

/** A folder with just enough of Debian 13 to run one of its servers: the version that users have, on a machine that is older. */
const basics = ['base-files', 'libc-bin', 'dash', 'coreutils', 'util-linux']

export function trixieTree(folderName: string): string | undefined {
  const root = join(cacheFolder(), folderName, 'root')
  return existsSync(root) ? root : undefined
}

export async function installTrixieTree(folderName: string, packages: readonly string[]): Promise<void> {
  if (trixieTree(folderName)) return
  requireRoot('unpacking a Debian 13 tree')
  if (!onPath('mmdebstrap')) await installPackages(['mmdebstrap'])
  await fillOnce(folderName, async (folder) => {
    const root = join(folder, 'root')
    await runToEnd('mmdebstrap', ['--variant=extract', `--include=${[...basics, ...packages].join()}`, 'trixie', root])
    await furnish(root)
  })
}

/** An extracted tree has run no package's scripts, so it lacks the few files by which names are looked up. */
async function furnish(root: string): Promise<void> {
  for (const folder of ['proc', 'dev', 'tmp', 'etc']) await mkdir(join(root, folder), { recursive: true })
  await cp('/etc/hosts', join(root, 'etc/hosts'))
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n')
  await writeFile(join(root, 'etc/nsswitch.conf'), 'hosts: files\npasswd: files\n')
}

/**
 * The same command with the tree as its root. The mounts live in a namespace of their own and vanish with the last process;
 * the data folder has the same name inside and outside.
 */
export function insideTree(root: string, command: Command): Command {
  const { folder, program, args } = command
  const enter = [
    'mount --bind /proc "$0/proc"',
    'mount --bind /dev "$0/dev"',
    'mount -t tmpfs tmpfs "$0/tmp"',
    'mkdir -p "$0$1"',
    'mount --bind "$1" "$0$1"',
    `exec chroot "$0" /bin/sh -c 'cd "$0" && exec "$@"' "$@"`,
  ].join(' && ')
  const namespace = ['--mount', '--propagation', 'private', '/bin/sh', '-c', enter]
  return { ...command, program: 'unshare', args: [...namespace, root, folder, program, ...args] }
}
