import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { powerRounds } from './embedded/power-rounds.ts'
import { createDisk, type Disk, whyPowerStaysOn } from './power-loss.ts'

describe.runIf(whyPowerStaysOn() === undefined)('a power cut (an ext4 file system, which takes root to mount)', () => {
  it('keeps what was flushed and forgets what was not', () => {
    const disk = temporaryDisk()
    writeFlushed(join(disk.folder, 'flushed'))
    writeFileSync(join(disk.folder, 'written'), 'only written')
    disk.cutPower()
    disk.boot()
    expect(readFileSync(join(disk.folder, 'flushed'), 'utf8')).toBe('flushed')
    expect(existsSync(join(disk.folder, 'written'))).toBe(false)
  })

  it('loses what a queue acknowledged without flushing it, on a machine that is slow to cut it', async () => {
    expect(await powerRounds(1, 'normal', 1000)).toMatchObject([{ acknowledged: 200, lost: 200 }])
  })

  it('ends with a reboot, even while a process in another mount namespace keeps the old file system alive', async () => {
    const disk = temporaryDisk()
    writeFlushed(join(disk.folder, 'flushed'))
    await copyOfAllMounts()
    disk.cutPower()
    disk.boot()
    expect(readFileSync(join(disk.folder, 'flushed'), 'utf8')).toBe('flushed')
  })
})

function temporaryDisk(): Disk {
  const disk = createDisk(16)
  onTestFinished(() => disk.remove())
  return disk
}

function writeFlushed(file: string): void {
  writeFileSync(file, 'flushed')
  const descriptor = openSync(file, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** What every container and every chroot with mounts of its own does to those that exist when it starts. */
async function copyOfAllMounts(): Promise<void> {
  const holder = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', 'echo copied && exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    holder.stdin.end()
    await once(holder, 'exit')
  })
  await once(holder.stdout, 'data')
}
