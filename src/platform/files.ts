import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileEntry, Files, Unlock } from '../core/ports.ts'

export const systemFiles: Files = {
  async list(folder) {
    const entries = await Promise.all((await readdir(folder)).map((name) => entryOf(folder, name)))
    return entries.filter((entry) => entry !== undefined)
  },
  async makeFolder(folder) {
    await mkdir(folder).catch(unless('EEXIST'))
  },
  async read(path, atMost = Number.POSITIVE_INFINITY) {
    const handle = await open(path, 'r')
    try {
      if ((await handle.stat()).size > atMost) throw Object.assign(new Error(`EFBIG: ${path}`), { code: 'EFBIG' })
      return await handle.readFile()
    } finally {
      await handle.close()
    }
  },
  async create(path) {
    const handle = await open(path, 'w', 0o600)
    return {
      write: (content) => handle.writeFile(content),
      sync: () => handle.sync(),
      close: () => handle.close(),
    }
  },
  rename,
  remove: (path) => rm(path),
  async syncFolder(folder) {
    // Windows has no such thing: there a name is durable when the file is.
    if (process.platform === 'win32') return
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
  lock: lockBySqlite,
}

/** What is removed while we look is not there. */
async function entryOf(folder: string, name: string): Promise<FileEntry | undefined> {
  const found = await stat(join(folder, name)).catch(unless('ENOENT'))
  return found && { name, bytes: found.size }
}

function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code !== code) throw error
  }
}

const sqliteBusy = 5

/**
 * Node has no `flock`, and a file with a process id in it lies as soon as ids are used again or two containers share a volume (both
 * are process 1). SQLite takes the kernel's own lock, which ends with the process; nothing is ever written into the file.
 */
async function lockBySqlite(path: string): Promise<Unlock | undefined> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined
    throw error
  }
  return () => database.close()
}
