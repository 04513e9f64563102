import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import type { Diagnosis, Patient } from '../tools.ts'
import { embedded } from './embedded.ts'
import { disk, examine, fileSystem, powerLoss } from './examine.ts'

const folder = mkdtempSync(join(tmpdir(), 'redrive-examine-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const wanted = { channels: [{ address: { name: 'work' }, role: 'work' }] } as const
const patient: Patient = { wanted, channels: [] }
const words = ({ severity, what }: Diagnosis): string => `${severity} ${what}`
const says = async (options: object): Promise<string[]> => (await examine(options, patient)).map(words)
const mebi = 1024 * 1024

async function storeAt(name: string): Promise<string> {
  const file = join(folder, name)
  const transport = embedded({ file })
  await transport.provision(wanted, 'apply')
  await transport.close()
  return file
}

describe('the doctor of the embedded queue', () => {
  test('looks at the schema, durability, file system, disk and channels of a good file', async () => {
    const told = await says({ file: await storeAt('good.db') })
    expect(told).toEqual(expect.arrayContaining(['fine schema', 'fine durability']))
    expect(told.filter((line) => /^(missing|unknown) /.test(line))).toEqual([])
  })

  test('makes no file where there is none, and tells what is missing', async () => {
    const file = join(folder, 'nowhere.db')
    expect(await says({ file })).toContain('missing channel-missing')
    expect(existsSync(file)).toBe(false)
  })

  test('cannot look into a folder that does not exist', async () => {
    await expect(examine({ file: join(folder, 'no/such/folder.db') }, patient)).rejects.toMatchObject({ code: 'unreachable' })
  })

  test('refuses a file of a newer version, of another program and of no program', async () => {
    const newer = await storeAt('newer.db')
    const db = new DatabaseSync(newer)
    db.exec('PRAGMA user_version = 99')
    db.close()
    const foreign = join(folder, 'foreign.db')
    new DatabaseSync(foreign).exec('CREATE TABLE other (id)')
    const text = join(folder, 'text.db')
    writeFileSync(text, 'no database at all'.repeat(100))
    expect((await says({ file: newer }))[0]).toBe('fatal store-newer')
    expect((await says({ file: foreign }))[0]).toBe('fatal bad-option')
    expect((await says({ file: text }))[0]).toBe('fatal store-unreadable')
  })

  test('warns of a durability that a power failure defeats', async () => {
    const file = await storeAt('normal.db')
    expect(await says({ file, durability: 'normal' })).toContain('warning durability-normal')
    expect(words(powerLoss('full'))).toBe('fine durability')
  })

  test.each([
    [0x01021994, 'fatal file-system-in-memory'],
    [0x6969, 'fatal file-system-remote'],
    [0xef53, 'fine file-system'],
  ])('takes file system %i for %s', (type, expected) => {
    expect(words(fileSystem(type))).toBe(expected)
  })

  test('warns when less is free than the file is large, or than a burst needs', () => {
    expect(words(disk(99 * mebi, 0))).toBe('warning disk-nearly-full')
    expect(words(disk(500 * mebi, 501 * mebi))).toBe('warning disk-nearly-full')
    expect(words(disk(500 * mebi, 499 * mebi))).toBe('fine disk')
  })
})
