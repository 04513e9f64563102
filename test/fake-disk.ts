import { dirname, join } from 'node:path'
import type { Files } from '../src/core/ports.ts'

/**
 * A disk in memory that keeps what was synced and nothing else: content after the file's own `sync`, a name after that of its
 * folder. It can lose power, fill up, and fail at any call.
 */
export interface FakeDisk {
  /** What one process sees of it. Its locks end when it is killed. */
  process(): { readonly files: Files; kill(): void }
  /** Everything that was not synced is gone, or as much of it as the luck says; and so are all processes. */
  cutPower(luck?: Luck): void
  /** No write takes more than what is left of these bytes. */
  leave(bytes: number): void
  /** The next calls of this verb reject with this code, `times` of them. */
  fail(verb: keyof Files | 'write' | 'sync', code: string, times?: number): void
  /** Paths of all files as they are now, locks left out. */
  paths(): readonly string[]
  content(path: string): Uint8Array
  /** Changes bytes behind everybody's back. */
  damage(path: string, change: (content: Uint8Array) => Uint8Array): void
}

/** Gives a whole number from 0 to `most`: how much survives of what nobody synced. */
export type Luck = (most: number) => number

interface Inode {
  content: Uint8Array
  synced: Uint8Array
}

/** What happened to a name: it stands for this file now, or for none. */
interface NameChange {
  readonly path: string
  readonly file: Inode | undefined
}

const noLuck: Luck = () => 0

export function fakeDisk(root: string): FakeDisk {
  const folders = new Set([root])
  let names = new Map<string, Inode>()
  const durable = new Map<string, Inode>()
  let unsynced: NameChange[] = []
  const locks = new Map<string, object>()
  const failures = new Map<string, { code: string; left: number }>()
  let space = Number.POSITIVE_INFINITY

  function guard(verb: string): void {
    const failure = failures.get(verb)
    if (!failure || failure.left-- <= 0) return
    throw errno(failure.code, verb)
  }

  function inode(path: string): Inode {
    const found = names.get(path)
    if (!found) throw errno('ENOENT', path)
    return found
  }

  function change(path: string, file: Inode | undefined): void {
    assign(names, { path, file })
    unsynced.push({ path, file })
  }

  const needFolder = (path: string): void => {
    if (!folders.has(path)) throw errno('ENOENT', path)
  }

  function filesOf(owner: object): Files {
    return {
      async list(folder) {
        guard('list')
        needFolder(folder)
        const within = [...names].filter(([path]) => dirname(path) === folder)
        const children = [...folders].filter((path) => dirname(path) === folder && path !== folder)
        return [
          ...within.map(([path, { content }]) => ({ name: path.slice(folder.length + 1), bytes: content.byteLength })),
          ...children.map((path) => ({ name: path.slice(folder.length + 1), bytes: 0 })),
        ]
      },
      async makeFolder(folder) {
        guard('makeFolder')
        needFolder(dirname(folder))
        folders.add(folder)
      },
      async read(path, atMost = Number.POSITIVE_INFINITY) {
        guard('read')
        if (inode(path).content.byteLength > atMost) throw errno('EFBIG', path)
        return inode(path).content
      },
      async create(path) {
        guard('create')
        needFolder(dirname(path))
        const file: Inode = { content: new Uint8Array(), synced: new Uint8Array() }
        change(path, file)
        return {
          async write(content) {
            const taken = content.subarray(0, Math.min(content.byteLength, space))
            space -= taken.byteLength
            file.content = Buffer.concat([file.content, taken])
            if (taken.byteLength < content.byteLength) throw errno('ENOSPC', path)
            guard('write')
          },
          async sync() {
            guard('sync')
            file.synced = file.content
          },
          close: async () => {},
        }
      },
      async rename(from, to) {
        guard('rename')
        change(to, inode(from))
        change(from, undefined)
      },
      async remove(path) {
        guard('remove')
        space += inode(path).content.byteLength
        change(path, undefined)
      },
      async syncFolder(folder) {
        guard('syncFolder')
        const isHere = ({ path }: NameChange): boolean => dirname(path) === folder
        for (const each of unsynced.filter(isHere)) assign(durable, each)
        unsynced = unsynced.filter((each) => !isHere(each))
      },
      async lock(path) {
        guard('lock')
        needFolder(dirname(path))
        if (locks.has(path)) return undefined
        locks.set(path, owner)
        return () => void (locks.get(path) === owner && locks.delete(path))
      },
    }
  }

  const unlockAll = (owner?: object): void => {
    for (const [path, holder] of locks) if (owner === undefined || holder === owner) locks.delete(path)
  }

  return {
    process() {
      const owner = {}
      return { files: filesOf(owner), kill: () => unlockAll(owner) }
    },
    cutPower(luck = noLuck) {
      // Names reach the disk in the order in which they changed: a file that was moved is never in neither place.
      for (const each of unsynced.slice(0, luck(unsynced.length))) assign(durable, each)
      unsynced = []
      names = new Map(durable)
      for (const file of names.values()) file.synced = file.content = survivingContent(file, luck)
      unlockAll()
    },
    leave(bytes) {
      space = bytes
    },
    fail: (verb, code, times = 1) => void failures.set(verb, { code, left: times }),
    paths: () => [...names.keys()].sort(),
    content: (path) => inode(join(path)).content,
    damage(path, change) {
      const file = inode(path)
      file.content = change(Uint8Array.from(file.content))
      file.synced = file.content
    },
  }
}

function assign(names: Map<string, Inode>, { path, file }: NameChange): void {
  if (file) names.set(path, file)
  else names.delete(path)
}

/** Content is appended and never changed, so what was synced is its beginning. The rest may be cut off, or be there as zeros. */
function survivingContent({ content, synced }: Inode, luck: Luck): Uint8Array {
  const kept = synced.byteLength + luck(content.byteLength - synced.byteLength)
  const length = luck(1) === 1 ? content.byteLength : kept
  return Buffer.concat([content.subarray(0, kept)], length)
}

function errno(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code })
}
