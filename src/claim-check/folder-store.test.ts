import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type FakeDisk, fakeDisk } from '../../test/fake-disk.ts'
import type { BodyStore } from '../core/ports.ts'
import { virtualClock } from '../platform/virtual-clock.ts'
import { folderStore } from './folder-store.ts'
import { memoryStore } from './memory-store.ts'

const key = '2026-11-15.0199-abc'
const body = new TextEncoder().encode('a large body')

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-bodies-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe.each<[string, () => BodyStore]>([
  ['a folder', () => folderStore({ folder: tempFolder() })],
  ['memory', () => memoryStore()],
])('a store in %s', (_, open) => {
  it('gives what was put, until it is removed', async () => {
    const store = open()
    await store.put(key, body)
    expect(Buffer.from((await store.get(key, 100)) ?? [])).toEqual(Buffer.from(body))
    expect([await store.remove(key), await store.remove(key), await store.get(key, 100)]).toEqual([true, false, undefined])
  })

  it('gives nothing where nothing was put', async () => {
    expect(await open().get(key, 100)).toBeUndefined()
  })
})

describe('a store in memory', () => {
  it('does not grow beyond its size, and can be filled again', async () => {
    const store = memoryStore({ maxSize: 20 })
    await store.put(key, body)
    await store.put(key, body)
    await expect(store.put(`${key}2`, body)).rejects.toMatchObject({ code: 'store-full' })
    await store.remove(key)
    await store.put(`${key}2`, body)
  })

  it('keeps what it was given, whatever happens to it afterwards', async () => {
    const store = memoryStore()
    const mine = Uint8Array.from(body)
    await store.put(key, mine)
    mine.fill(0)
    expect(await store.get(key, 100)).toEqual(body)
  })
})

describe('a store in a folder', () => {
  it('is one file for each body, in one folder for each day', async () => {
    const folder = tempFolder()
    await folderStore({ folder }).put(key, body)
    expect(readdirSync(join(folder, '2026-11-15'))).toEqual(['0199-abc'])
    expect(readFileSync(join(folder, '2026-11-15', '0199-abc'), 'utf8')).toBe('a large body')
  })

  it.each(['../secret', '2026-11-15.../../secret', '/etc/passwd', '2026-11-15./secret', ''])(
    'never looks at %j',
    async (hostile) => {
      const folder = tempFolder()
      writeFileSync(join(folder, 'secret'), 'secret')
      const store = folderStore({ folder: join(folder) })
      for (const verb of [() => store.get(hostile, 100), () => store.put(hostile, body), () => store.remove(hostile)]) {
        await expect(verb()).rejects.toMatchObject({ code: 'bad-message' })
      }
      expect(readdirSync(folder)).toEqual(['secret'])
    },
  )

  it('does not read what is larger than what was sent', async () => {
    const store = folderStore({ folder: tempFolder() })
    await store.put(key, body)
    await expect(store.get(key, body.byteLength - 1)).rejects.toMatchObject({ code: 'body-corrupt' })
    expect(await store.get(key, body.byteLength)).toHaveLength(body.byteLength)
  })

  it('is refused where its folder is missing: what is put where a volume should be mounted would be lost', async () => {
    const store = folderStore({ folder: join(tempFolder(), 'missing') })
    await expect(store.put(key, body)).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('removes the bodies of days that are over for long enough, and nothing else', async () => {
    const clock = virtualClock({ start: Date.UTC(2026, 10, 15, 12) })
    const folder = tempFolder()
    const store = folderStore({ folder, clock })
    writeFileSync(join(folder, 'notes.txt'), 'kept')
    for (const day of ['2026-11-12', '2026-11-13', '2026-11-14', '2026-11-15']) await store.put(`${day}.a`, body)
    expect(await store.removeOlderThan('1d')).toBe(2)
    const left = await Promise.all(['2026-11-13', '2026-11-14', '2026-11-15'].map((day) => store.get(`${day}.a`, 100)))
    expect(left.map((found) => found !== undefined)).toEqual([false, true, true])
    expect(readdirSync(folder)).toContain('notes.txt')
  })
})

describe('a body that was put', () => {
  const open = (disk: FakeDisk): BodyStore => folderStore({ folder: '/bodies', files: disk.process().files })

  it('survives a power failure', async () => {
    const disk = fakeDisk('/bodies')
    await open(disk).put(key, body)
    disk.cutPower()
    expect(Buffer.from((await open(disk).get(key, 100)) ?? [])).toEqual(Buffer.from(body))
  })

  it.each(['create', 'write', 'sync', 'rename', 'syncFolder', 'makeFolder'] as const)(
    'is not there when %s fails, and nobody is told that it is',
    async (verb) => {
      const disk = fakeDisk('/bodies')
      disk.fail(verb, 'EIO')
      await expect(open(disk).put(key, body)).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('EIO'),
      })
      expect([await open(disk).get(key, 100), disk.paths()]).toEqual([undefined, []])
      await open(disk).put(key, body)
    },
  )

  it('is refused by a full disk, of which nothing is left', async () => {
    const disk = fakeDisk('/bodies')
    disk.leave(5)
    await expect(open(disk).put(key, body)).rejects.toMatchObject({ code: 'store-full' })
    expect(disk.paths()).toEqual([])
  })
})
