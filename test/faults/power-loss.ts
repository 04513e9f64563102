import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The power fails, as nearly as one machine can show it without a second one: a file system of its own on a loop device is told
 * to forget everything that has not reached the disk. A killed process proves nothing about durability, because the kernel still
 * writes what the process had written; this does.
 *
 * What it does not show: torn sectors, and disks that reorder or lie.
 *
 * It needs root, `mkfs.ext4` and Perl. Node has no ioctl, an addon would need a compiler, and Perl is part of every Debian.
 */
export interface Disk {
  readonly folder: string
  /** What was written so far reaches the disk: for what is set up before a run and is not its subject. */
  flush(): void
  /** From here on nothing reaches the disk, and what had not reached it never will. Writers get I/O errors. */
  cutPower(): void
  /** Mounts it again, as after a reboot. Whoever had files open there must be dead. */
  boot(): void
  remove(): void
}

/** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: do not even flush the journal. */
const shutdown = 'sysopen(my $d, $ARGV[0], 0) or die $!; my $f = pack("L", 2); ioctl($d, 0x8004587d, $f) or die $!'

/** Why the power cannot fail here, or `undefined` when it can. Whoever gets a reason reports NOT RUN, and never "passed". */
export function whyPowerStaysOn(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux'
  if (process.getuid?.() !== 0) return 'it needs root'
  for (const tool of [
    ['perl', '-v'],
    ['mkfs.ext4', '-V'],
    ['mount', '-V'],
  ] as const) {
    try {
      execFileSync(tool[0], [tool[1]], { stdio: 'ignore' })
    } catch {
      return `it needs ${tool[0]}`
    }
  }
  return undefined
}

/** The kernel flushes by itself every five seconds; a slow machine must not be saved by that. */
const mountOptions = 'loop,commit=300'

/**
 * A reboot mounts a copy of the image. Whoever unshares its mounts (a container, a broker in a tree of its own) copies ours with them,
 * and keeps the old file system alive beyond our unmounting it: mounting the same image again would give that one back, still without
 * power, and everything on it would look lost.
 */
export function createDisk(megabytes: number): Disk {
  const base = mkdtempSync(join(tmpdir(), 'redrive-disk-'))
  const folder = join(base, 'mounted')
  const imageOf = (boot: number) => join(base, `image-${boot}`)
  const mount = (image: string) => void execFileSync('mount', ['-o', mountOptions, image, folder])
  let boots = 0
  mkdirSync(folder)
  writeFileSync(imageOf(0), '')
  truncateSync(imageOf(0), megabytes * 1024 * 1024)
  execFileSync('mkfs.ext4', ['-q', imageOf(0)])
  mount(imageOf(0))
  return {
    folder,
    flush: () => void execFileSync('sync', ['-f', folder]),
    cutPower: () => void execFileSync('perl', ['-e', shutdown, folder]),
    boot() {
      // Whoever was killed may take a moment to let go of it; nothing that it does reaches a disk whose power is cut.
      execFileSync('umount', ['-l', folder])
      // With its holes: gigabytes of zeros on their way to the disk would stall every other broker of the machine.
      execFileSync('cp', ['--sparse=always', imageOf(boots), imageOf(boots + 1)])
      boots++
      mount(imageOf(boots))
    },
    remove() {
      execFileSync('umount', ['-l', folder])
      rmSync(base, { recursive: true, force: true })
    },
  }
}
