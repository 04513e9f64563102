import { randomBytes } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockFile } from '../../src/vault/sqlite/lock-file.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import { type DeskInTest, deskWith } from '../control/desk.fixture.ts'
import { deadLetter, keep, sourceIn } from '../control/letters.fixture.ts'
import type { Person } from './run-redrive.ts'

const drawn = (): string => randomBytes(32).toString('base64')

/** A vault with three clear letters, and a configuration that names its key in a file. */
async function desk(
  person?: Person,
  environment: Readonly<Record<string, string>> = {},
): Promise<DeskInTest & { readonly key: string }> {
  const letters = [1, 2, 3].map((n) => deadLetter({ n, body: `order ${n}` }))
  const here = await deskWith({ letters, environment, ...(person && { person }) })
  const key = drawn()
  writeKey(here, 'vault.key', key)
  here.write('redrive.yaml', 'vault: ./vault.db\nencryption: { key: { file: ./vault.key } }\n')
  return { ...here, key }
}

function writeKey(here: DeskInTest, name: string, key: string): void {
  here.write(name, key)
  chmodSync(join(here.folder, name), 0o600)
}

test('letters are sealed by one command, which says what it did, and are shown by whoever has the configuration', async () => {
  const here = await desk()
  const { status, out, err } = await here.redrive('vault', 'rekey')
  expect([status, err]).toEqual([0, ''])
  expect(out).toMatch(/^3 letters and 0 edits sealed, 0 keys of letters wrapped anew, in \d+\.\d s\n/)
  expect(out).toMatch(/Everything is sealed with the key [0-9a-f]{16}\./)
  const shown = await here.redrive('show', '1', '--config', 'redrive.yaml', '--body')
  expect([shown.status, shown.out]).toEqual([0, expect.stringContaining('order 1')])
  const without = await here.redrive('show', '1', '--body')
  expect([without.status, without.err]).toEqual([2, expect.stringContaining('vault-key-missing')])
  expect(`${out}${without.err}`).not.toContain(here.key)
})

test('a key is taken from the environment where no configuration is named', async () => {
  const key = drawn()
  const here = await desk(undefined, { REDRIVE_VAULT_KEY: key })
  writeKey(here, 'vault.key', key)
  await here.redrive('vault', 'rekey')
  expect((await here.redrive('show', '1', '--body')).out).toContain('order 1')
})

test('with --json it is one line; a second key retires the first, which nothing needs then', async () => {
  const here = await desk()
  const told = async () => JSON.parse((await here.redrive('vault', 'rekey', '--json')).out)
  const first = await told()
  expect(first).toMatchObject({ letters: 3, edits: 0, keys: 0, retired: [], scrubbed: true, vault: here.file })
  writeKey(here, 'next.key', drawn())
  here.write(
    'redrive.yaml',
    'vault: ./vault.db\nencryption: { key: { file: ./next.key }, formerKeys: [{ file: ./vault.key }] }\n',
  )
  expect(await told()).toMatchObject({ letters: 0, keys: 3, retired: [first.key], scrubbed: false })
  here.write('redrive.yaml', 'vault: ./vault.db\nencryption: { key: { file: ./next.key } }\n')
  rmSync(join(here.folder, 'vault.key'))
  const shown = await here.redrive('show', '1', '--config', 'redrive.yaml', '--body')
  expect(shown.out).toContain('order 1')
})

test('on a screen it tells how far it has come', async () => {
  const here = await desk({ columns: 200 })
  expect((await here.redrive('vault', 'rekey')).err).toMatch(/sealing letters: 3 of 3 rows/)
})

test('while a control plane has the vault it is refused, and without a key it is a mistake', async () => {
  const here = await desk()
  const unlock = await lockFile(here.file)
  const busy = await here.redrive('vault', 'rekey').finally(unlock)
  expect([busy.status, busy.err]).toEqual([4, expect.stringContaining('conflict')])
  here.write('redrive.yaml', 'vault: ./vault.db\n')
  const none = await here.redrive('vault', 'rekey')
  expect([none.status, none.err]).toEqual([2, expect.stringContaining('encryption.key')])
})

test('the copy of a sealed vault says which key it needs', async () => {
  const here = await desk()
  const { key } = JSON.parse((await here.redrive('vault', 'rekey', '--json')).out) as { key: string }
  const copied = await here.redrive('vault', 'copy', 'vault.db', 'copy.db')
  expect([copied.status, copied.out]).toEqual([0, expect.stringContaining(`needs the keys ${key}`)])
})

test('a letter is not imported in clear into a vault that seals', async () => {
  const here = await desk()
  await here.redrive('vault', 'rekey')
  const vault = sqliteVault({ file: here.file })
  await expect(keep(vault, await sourceIn(vault), [deadLetter({ n: 9 })])).rejects.toMatchObject({ code: 'vault-key-missing' })
  await vault.close()
})
