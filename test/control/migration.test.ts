import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { conditionOf } from '../../src/vault/filter-condition.ts'
import { vaultSchema } from '../../src/vault/schema.ts'
import { deadLetter, keep, noon, openVault, sourceIn, temporaryFolder } from './letters.fixture.ts'

const versionOfBefore = 4

/** A vault as the version before blocks left it, with letters in two of them. */
function olderVault(): string {
  const file = join(temporaryFolder(), 'vault.db')
  const db = new DatabaseSync(file)
  db.exec(vaultSchema.versions.slice(0, versionOfBefore).join(';'))
  db.exec(`PRAGMA application_id = ${vaultSchema.applicationId}; PRAGMA user_version = ${versionOfBefore}; PRAGMA journal_mode = WAL;
    INSERT INTO sources (connection, channel, part) VALUES ('shop', 'dlq.orders', '');
    INSERT INTO causes (fingerprint, title, parts, state, state_since, first_at, last_at) VALUES ('v1:a', '', '{}', 'open', 0, 0, 0)`)
  const insert =
    db.prepare(`INSERT INTO letters (id, source, identity, state, state_since, broker, cause, channel, dialect, confidence,
      generation, failed_at, received_at, bytes)
    VALUES (?, 1, CAST(? AS BLOB), 'open', 0, 'completing', 1, 'orders', 'generic', 'none', 0, ?, 0, 0)`)
  for (const id of [1, 2, 1500, 1501]) insert.run(id, `identity-of-sixteen-and-more-${id}`, noon - 3_600_000 + id)
  db.close()
  return file
}

test('letters of an older vault are found by source and time, beside those that come', async () => {
  const vault = openVault(olderVault())
  const [fresh] = await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })])
  const found = async (filter: string) =>
    (await vault.read('findLetters', { condition: conditionOf(filter, noon), limit: 10 })).map(({ id }) => id)
  expect(await found('source:dlq.orders')).toEqual([fresh, 1501, 1500, 2, 1])
  expect(await found('age>30m')).toEqual([1501, 1500, 2, 1])
  expect(await found('source:dlq.orders age<=30m')).toEqual([fresh])
})

/** Every source, with what was counted of it. */
async function sourcesIn(vault: ReturnType<typeof openVault>) {
  return (await vault.read('listSources', undefined)).map(({ id, group }) => ({ id, group }))
}

test('a source of an older vault belongs to the first group that reads it, with its letters; the next group is another source', async () => {
  const vault = openVault(olderVault())
  const named = { connection: 'shop', channel: 'dlq.orders', part: '' }
  expect(await sourcesIn(vault)).toEqual([{ id: 1, group: '' }])
  expect((await vault.write('registerSource', { ...named, group: 'billing' })).id).toBe(1)
  const { id } = await vault.write('registerSource', { ...named, group: 'stock' })
  expect(await sourcesIn(vault)).toEqual([
    { id: 1, group: 'billing' },
    { id, group: 'stock' },
  ])
  expect((await vault.write('registerSource', { ...named, group: 'billing' })).id).toBe(1)
})

test('a source of an older vault without groups stays the same', async () => {
  const file = olderVault()
  const vault = openVault(file)
  expect(await sourceIn(vault)).toBe(1)
  await vault.close()
  expect(await sourceIn(openVault(file))).toBe(1)
})
