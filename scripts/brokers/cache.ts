import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Outside the checkout, so that a second clone needs no network. */
export function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'redrive')
}

/** Fills a folder of the cache once. Half an installation is never seen: it becomes visible by a rename. */
export async function fillOnce(name: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const target = join(cacheFolder(), name)
  if (existsSync(target)) return
  const partial = `${target}.partial-${process.pid}`
  await mkdir(partial, { recursive: true })
  try {
    await fill(partial)
    await rename(partial, target)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}
