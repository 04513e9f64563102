import { dirname, join } from 'node:path'
import type { Files } from '../src/core/ports.ts'

/**
 * A disk in memory that keeps what was synced and nothing else: content after the file's own `sync`, a name after that of its
 * folder. It can lose power, fill up, and fail at any call.
 */
export interface FakeDisk {
  /** What one process sees of it. Its locks end when it is killed. */
  process(): { readonly files: Files; kill(): void }
  /** Everything that was not synced is gone, and so are all processes. */
  cutPower(): void
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

interface Inode {
  content: Uint8Array
  synced: Uint8Array
}

export function fakeDisk(root: string): FakeDisk {
  const folders = new Set([root])
  let names = new Map<string, Inode>()
  const durable = new Map<string, Inode>()
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
      async read(path) {
        guard('read')
        return inode(path).content
      },
      async create(path) {
        guard('create')
        needFolder(dirname(path))
        const file: Inode = { content: new Uint8Array(), synced: new Uint8Array() }
        names.set(path, file)
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
        names.set(to, inode(from))
        names.delete(from)
      },
      async remove(path) {
        guard('remove')
        space += inode(path).content.byteLength
        names.delete(path)
      },
      async syncFolder(folder) {
        guard('syncFolder')
        for (const path of durable.keys()) if (dirname(path) === folder) durable.delete(path)
        for (const [path, file] of names) if (dirname(path) === folder) durable.set(path, file)
      },
      async lock(path) {
        guard('lock')
        needFolder(dirname(path))
        if (locks.has(path)) return undefined
        locks.set(path, owner)
        return () => void locks.delete(path)
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
    cutPower() {
      names = new Map(durable)
      for (const file of names.values()) file.content = file.synced
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

function errno(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code })
}
