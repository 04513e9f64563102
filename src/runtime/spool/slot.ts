import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { RedriveError } from '../../core/errors.ts'
import type { FileEntry, Files, Unlock } from '../../core/ports.ts'
import type { Logger } from '../logger.ts'
import { isSpoolFile, nextSequence } from './batch-files.ts'

/**
 * Where one process spools the letters of one channel:
 *
 *   <the user's folder>/<channel>/<slot>/
 *
 * Each slot has a lock that ends with its process, so any number of processes can share the user's folder. Whoever starts takes the
 * first slot that is free, with what a dead process left there, and empties all other free ones into it.
 */
export interface Slot {
  readonly folder: string
  readonly entries: readonly FileEntry[]
  readonly unlock: Unlock
}

const mostSlots = 1000

export async function takeSlot(files: Files, path: string, transport: string, channel: string, logger: Logger): Promise<Slot> {
  let unlock: Unlock | undefined
  try {
    // It is not made where it is missing: what we put where a volume was to be mounted would not outlive the container.
    await files.list(path)
    const home = join(path, folderName(transport, channel))
    await files.makeFolder(home)
    await files.syncFolder(path)
    const own = await firstFree(files, home)
    unlock = own.unlock
    await files.syncFolder(home)
    await emptyOthers(files, home, own.folder)
    await removeUnfinished(files, own.folder, logger)
    return { ...own, entries: await files.list(own.folder) }
  } catch (error) {
    unlock?.()
    throw unusable(path, error)
  }
}

async function firstFree(files: Files, home: string): Promise<{ readonly folder: string; readonly unlock: Unlock }> {
  for (let number = 1; number <= mostSlots; number++) {
    const folder = join(home, String(number))
    await files.makeFolder(folder)
    const unlock = await files.lock(join(folder, 'lock'))
    if (unlock) return { folder, unlock }
  }
  throw new Error(`all ${mostSlots} slots are in use`)
}

async function emptyOthers(files: Files, home: string, own: string): Promise<void> {
  for (const { name } of await files.list(home)) {
    const other = join(home, name)
    if (other === own || !/^\d+$/.test(name)) continue
    const unlock = await files.lock(join(other, 'lock'))
    if (!unlock) continue
    try {
      await moveAll(files, other, own)
    } finally {
      unlock()
    }
  }
}

/** The new names are durable before the old ones are gone for good: a crash in between sends a letter twice. */
async function moveAll(files: Files, from: string, to: string): Promise<void> {
  const names = (await files.list(from)).map(({ name }) => name).filter(isSpoolFile)
  if (names.length === 0) return
  let sequence = nextSequence((await files.list(to)).map(({ name }) => name))
  for (const name of names.sort()) {
    await files.rename(join(from, name), join(to, name.replace(/^\d+/, String(sequence++).padStart(12, '0'))))
  }
  await files.syncFolder(to)
  await files.syncFolder(from)
}

/** No message was completed for what stands in it. */
async function removeUnfinished(files: Files, folder: string, logger: Logger): Promise<void> {
  for (const { name, bytes } of await files.list(folder)) {
    if (!name.endsWith('.new')) continue
    logger.warn({ file: join(folder, name), bytes }, 'Removed a half-written spool file; its messages were never completed')
    await files.remove(join(folder, name))
  }
}

/** People look for their channel; the hash keeps apart what looks alike. */
function folderName(transport: string, channel: string): string {
  const readable = channel.replaceAll(/[^\w-]+/g, '_').slice(0, 60)
  const hash = createHash('sha256')
    .update(JSON.stringify([transport, channel]))
    .digest('hex')
  return `${readable}-${hash.slice(0, 12)}`
}

function unusable(path: string, cause: unknown): RedriveError {
  const code = (cause as { code?: unknown }).code
  const why = typeof code === 'string' ? code : 'see the cause'
  return new RedriveError('spool-unusable', `the spool folder ${JSON.stringify(path)} cannot be used (${why})`, { cause })
}
