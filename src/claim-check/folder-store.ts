import { join } from 'node:path'
import { isSafeKey } from '../core/body-reference.ts'
import { type Duration, parseDuration } from '../core/duration.ts'
import { RedriveError } from '../core/errors.ts'
import { objectWith, text } from '../core/option-checks.ts'
import { readOptions } from '../core/options.ts'
import { type BodyStore, type Clock, clockVerbs, type Files } from '../core/ports.ts'
import { systemClock } from '../platform/clock.ts'
import { writeDurably } from '../platform/durable-file.ts'
import { systemFiles } from '../platform/files.ts'

export interface FolderStoreOptions {
  /** It must exist, and all producers and consumers must see the same one. */
  readonly folder: string
  readonly clock?: Clock
  readonly files?: Files
}

/**
 * Bodies as files, in one folder for each day:
 *
 *   <folder>/2026-11-15/0199…            one body
 *   <folder>/2026-11-15/0199….new        was being written when the process died: its message was never sent
 */
export interface FolderStore extends BodyStore {
  /** Removes all bodies of days that ended longer ago than this, and tells how many. */
  removeOlderThan(age: Duration): Promise<number>
}

const dayMs = 86_400_000
const dayName = /^\d{4}-\d\d-\d\d$/
const fileVerbs: readonly (keyof Files)[] = ['list', 'makeFolder', 'read', 'create', 'rename', 'remove', 'syncFolder']

export function folderStore(options: FolderStoreOptions): FolderStore {
  const given = readOptions(options, ['folder', 'clock', 'files'], 'folderStore')
  const root = given.required('folder', text(4096))
  const clock = given.read('clock', objectWith<Clock>(clockVerbs, 'a clock, such as virtualClock()'), systemClock)
  const files = given.read('files', objectWith<Files>(fileVerbs, 'what a platform has as `files`'), systemFiles)
  const durableDays = new Set<string>()

  return {
    async put(key, body) {
      const { day, name } = placeOf(key)
      try {
        await makeDay(day)
        await writeDurably(files, join(root, day), name, body)
      } catch (error) {
        throw unusable(error, 'written')
      }
    },
    async get(key, atMost) {
      const { day, name } = placeOf(key)
      try {
        return await files.read(join(root, day, name), atMost)
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined
        if (codeOf(error) === 'EFBIG')
          throw new RedriveError('body-corrupt', 'the stored body is larger than the one that was sent')
        throw unusable(error, 'read')
      }
    },
    async remove(key) {
      const { day, name } = placeOf(key)
      return removeFile(join(root, day, name))
    },
    async removeOlderThan(age) {
      const before = clock.now() - parseDuration(age, 'removeOlderThan')
      const days = (await files.list(root)).map(({ name }) => name).filter((name) => dayName.test(name))
      let removed = 0
      for (const day of days.filter((name) => Date.parse(name) + dayMs <= before)) removed += await emptyDay(join(root, day))
      return removed
    },
  }

  /** A day that is durable once is durable: it is never removed, only emptied. */
  async function makeDay(day: string): Promise<void> {
    if (durableDays.has(day)) return
    await files.makeFolder(join(root, day))
    await files.syncFolder(root)
    durableDays.add(day)
  }

  async function emptyDay(folder: string): Promise<number> {
    let removed = 0
    for (const { name } of await files.list(folder)) if (await removeFile(join(folder, name))) removed++
    return removed
  }

  async function removeFile(path: string): Promise<boolean> {
    try {
      await files.remove(path)
      return true
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false
      throw unusable(error, 'changed')
    }
  }
}

/** Whoever calls has checked the key; a store that believes it would be one mistake away from reading any file. */
function placeOf(key: string): { readonly day: string; readonly name: string } {
  if (!isSafeKey(key)) throw new RedriveError('bad-message', 'this is no key of a stored body')
  return { day: key.slice(0, 10), name: key.slice(11) }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code
}

function unusable(cause: unknown, verb: string): RedriveError {
  const code = codeOf(cause)
  if (code === 'ENOSPC') return new RedriveError('store-full', 'the folder of bodies is full', { cause })
  return new RedriveError('unreachable', `the folder of bodies could not be ${verb} (${code ?? 'see the cause'})`, { cause })
}
