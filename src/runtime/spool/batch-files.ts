import { join } from 'node:path'
import { RedriveError } from '../../core/errors.ts'
import type { FileEntry, Files } from '../../core/ports.ts'
import { writeDurably } from '../../platform/durable-file.ts'
import { decodeFrames, encodeFrames, type Frames } from './frames.ts'

/**
 * A folder of files, each with some records, written once and never changed: under another name first, synced, renamed, and the
 * folder synced. So a file that has its name is whole, a crash leaves at most one that has not, and no file is ever written to
 * after a failed sync, when nobody knows what the disk holds.
 *
 *   000000000001-3.letters       three records
 *   000000000002-1.letters.new   was being written when the process died: nothing of it was ever promised
 *   000000000003-2.aside         could not be read, or not be sent: kept for a person
 */
export interface BatchFiles {
  /** Records in all files, less those of the oldest that were already passed. */
  readonly depth: number
  /** Files that were set aside. */
  readonly aside: number
  /** Durable when it resolves; nothing of it is there when it rejects, as far as the disk lets us clean up. */
  append(content: Uint8Array): Promise<void>
  /** Resolves when everything that was to be appended is written, or has failed. */
  written(): Promise<void>
  /** The oldest file; the same one until it is dropped or set aside. */
  oldest(): Batch | undefined
  read(batch: Batch): Promise<Frames>
  /** Records of the oldest file that are done with. */
  readonly passed: number
  pass(): void
  drop(batch: Batch): Promise<void>
  /** Writes the oldest file anew, without the records that are done with: the next start need not send them again. */
  shorten(batch: Batch, contents: readonly Uint8Array[]): Promise<void>
  /** The file stays, under a name that nobody reads; tells where. */
  setAside(batch: Batch): Promise<string>
  /** This one record is kept in a file of its own, which nobody reads; tells where. */
  keepAside(content: Uint8Array): Promise<string>
}

export interface Batch {
  readonly name: string
  readonly count: number
  readonly bytes: number
}

const batchName = /^(\d{12})-(\d+)\.letters$/
export const isSpoolFile = (name: string): boolean => batchName.test(name) || name.endsWith('.aside')

/** What a crash in the middle of a drain sends twice at most. */
const recordsPerFile = 64
const bytesPerFile = 8 * 1024 * 1024

interface Waiting {
  readonly content: Uint8Array
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** `maxBytes` may not be passed. `entries` is what was found in the folder. */
export function createBatchFiles(files: Files, folder: string, maxBytes: number, entries: readonly FileEntry[]): BatchFiles {
  const batches = entries.flatMap(batchOf).sort((one, other) => (one.name < other.name ? -1 : 1))
  let bytes = batches.reduce((sum, batch) => sum + batch.bytes, 0)
  let records = batches.reduce((sum, batch) => sum + batch.count, 0)
  let aside = entries.filter(({ name }) => name.endsWith('.aside')).length
  let passed = 0
  let sequence = nextSequence(entries.map(({ name }) => name))
  let waiting: Waiting[] = []
  let writing: Promise<void> | undefined

  return {
    get depth() {
      return records - passed
    },
    get aside() {
      return aside
    },
    append: (content) =>
      new Promise((resolve, reject) => {
        waiting.push({ content, resolve, reject })
        writing ??= writeWaiting()
      }),
    written: async () => writing,
    oldest: () => batches[0],
    read: async (batch) => decodeFrames(await files.read(join(folder, batch.name))),
    get passed() {
      return passed
    },
    pass: () => void passed++,
    async drop(batch) {
      forget(batch)
      await removeSent(batch)
    },
    async shorten(batch, contents) {
      // What is damaged must stay as it is, and be set aside by whoever comes to its end.
      if (passed === 0 || contents.length !== batch.count) return
      const left = contents.slice(passed)
      const content = encodeFrames(left)
      const shorter = { name: batch.name.replace(/-\d+/, `-${left.length}`), count: left.length, bytes: content.byteLength }
      await writeDurably(files, folder, shorter.name, content)
      batches[0] = shorter
      bytes += shorter.bytes - batch.bytes
      records -= passed
      passed = 0
      await removeSent(batch)
    },
    async setAside(batch) {
      const file = join(folder, batch.name.replace(/letters$/, 'aside'))
      await files.rename(join(folder, batch.name), file)
      await files.syncFolder(folder)
      aside++
      forget(batch)
      return file
    },
    async keepAside(content) {
      const name = fileName(1, 'aside')
      await writeDurably(files, folder, name, encodeFrames([content]))
      aside++
      return join(folder, name)
    },
  }

  /** Everybody who waits while a file is synced shares the next one. */
  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = takeBatch()
      try {
        await writeBatch(batch.map(({ content }) => content))
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    writing = undefined
  }

  function takeBatch(): readonly Waiting[] {
    let size = 0
    const fits = waiting.findIndex(({ content }, index) => {
      size += content.byteLength
      return index > 0 && (index === recordsPerFile || size > bytesPerFile)
    })
    const batch = waiting.slice(0, fits === -1 ? undefined : fits)
    waiting = waiting.slice(batch.length)
    return batch
  }

  async function writeBatch(contents: readonly Uint8Array[]): Promise<void> {
    const content = encodeFrames(contents)
    if (bytes + content.byteLength > maxBytes) {
      throw new RedriveError('spool-full', `the spool in ${folder} may not grow beyond ${maxBytes} bytes (maxSize)`)
    }
    const name = fileName(contents.length, 'letters')
    await writeDurably(files, folder, name, content)
    batches.push({ name, count: contents.length, bytes: content.byteLength })
    bytes += content.byteLength
    records += contents.length
  }

  function fileName(count: number, ending: string): string {
    return `${String(sequence++).padStart(12, '0')}-${count}.${ending}`
  }

  /** A file that cannot be removed is sent again by the next start, with the same ids. */
  async function removeSent(batch: Batch): Promise<void> {
    await files.remove(join(folder, batch.name)).catch(() => {})
  }

  function forget(batch: Batch): void {
    batches.splice(batches.indexOf(batch), 1)
    bytes -= batch.bytes
    records -= batch.count
    passed = 0
  }
}

/** The first number that no file of these has. */
export function nextSequence(names: readonly string[]): number {
  const numbers = names.map((name) => Number(/^(\d{12})-/.exec(name)?.[1] ?? 0))
  // Not spread into arguments: a spool may hold more files than a call may have of those.
  return 1 + numbers.reduce((highest, number) => Math.max(highest, number), 0)
}

function batchOf({ name, bytes }: FileEntry): Batch[] {
  const [, , count] = batchName.exec(name) ?? []
  return count === undefined ? [] : [{ name, count: Number(count), bytes }]
}
