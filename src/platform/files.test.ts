import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemFiles } from './files.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redrive-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a file is written, synced, renamed, listed, read and removed', async () => {
  const content = new Uint8Array([1, 2, 3])
  const file = await systemFiles.create(join(folder, 'a.new'))
  await file.write(content)
  await file.sync()
  await file.close()
  await systemFiles.rename(join(folder, 'a.new'), join(folder, 'a'))
  await systemFiles.syncFolder(folder)
  expect(await systemFiles.list(folder)).toEqual([{ name: 'a', bytes: 3 }])
  expect([...(await systemFiles.read(join(folder, 'a')))]).toEqual([1, 2, 3])
  await systemFiles.remove(join(folder, 'a'))
  expect(await systemFiles.list(folder)).toEqual([])
})

test('a folder is made once, and a missing one is told', async () => {
  await systemFiles.makeFolder(join(folder, 'sub'))
  await systemFiles.makeFolder(join(folder, 'sub'))
  await expect(systemFiles.list(join(folder, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a lock is held once, also within one process, until it is unlocked', async () => {
  const path = join(folder, 'lock')
  const unlock = await systemFiles.lock(path)
  expect(unlock).toBeDefined()
  expect(await systemFiles.lock(path)).toBeUndefined()
  unlock?.()
  const again = await systemFiles.lock(path)
  expect(again).toBeDefined()
  again?.()
})

test('a lock of another process ends when that is killed', async () => {
  const path = join(folder, 'lock')
  const holder = fork(new URL('./locker.fixture.ts', import.meta.url), [path])
  const exited = once(holder, 'exit')
  const [word] = await once(holder, 'message')
  expect(word).toBe('locked')
  expect(await systemFiles.lock(path)).toBeUndefined()
  holder.kill('SIGKILL')
  expect(await exited).toEqual([null, 'SIGKILL'])
  const unlock = await systemFiles.lock(path)
  expect(unlock).toBeDefined()
  unlock?.()
})
