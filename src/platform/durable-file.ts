import { join } from 'node:path'
import type { Files } from '../core/ports.ts'

/**
 * Writes a file that is whole as soon as it has its name, and durable when this resolves: under another name first, synced, renamed,
 * and the folder synced. When it rejects, nothing of it is left where that can be had.
 */
export async function writeDurably(files: Files, folder: string, name: string, content: Uint8Array): Promise<void> {
  const path = join(folder, name)
  const unfinished = `${path}.new`
  try {
    const file = await files.create(unfinished)
    try {
      await file.write(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await files.rename(unfinished, path)
    await files.syncFolder(folder)
  } catch (error) {
    for (const left of [unfinished, path]) await files.remove(left).catch(() => {})
    throw error
  }
}
