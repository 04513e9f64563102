import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { shredWords } from '../../src/ops/shred-words.ts'
import { conditionOf } from '../../src/vault/filter-condition.ts'
import { vaultSchema } from '../../src/vault/schema.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import { arrival, deadLetter, keep, noon, openVault, sourceIn, temporaryFolder } from './letters.fixture.ts'

interface OlderVault {
  readonly file: string
  readonly db: DatabaseSync
  insertLetter(id: number): void
}

/** The file of a vault as an older version left it, with one source and one cause. */
function vaultOfVersion(version: number): OlderVault {
  const file = join(temporaryFolder(), 'vault.db')
  const db = new DatabaseSync(file)
  db.exec(vaultSchema.versions.slice(0, version).join(';'))
  db.exec(`PRAGMA application_id = ${vaultSchema.applicationId}; PRAGMA user_version = ${version}; PRAGMA journal_mode = WAL;
    INSERT INTO sources (connection, channel, part) VALUES ('shop', 'dlq.orders', '');
    INSERT INTO causes (fingerprint, title, parts, state, state_since, first_at, last_at) VALUES ('v1:a', '', '{}', 'open', 0, 0, 0)`)
  const insert =
    db.prepare(`INSERT INTO letters (id, source, identity, state, state_since, broker, cause, channel, dialect, confidence,
      generation, failed_at, received_at, bytes)
    VALUES (?, 1, CAST(? AS BLOB), 'open', 0, 'completing', 1, 'orders', 'generic', 'none', 0, ?, 0, 0)`)
  return {
    file,
    db,
    insertLetter: (id) => void insert.run(id, `identity-of-sixteen-and-more-${id}`, noon - 3_600_000 + id),
  }
}

/** A vault as the version before blocks left it, with letters in two of them. */
function olderVault(): string {
  const { file, db, insertLetter } = vaultOfVersion(4)
  for (const id of [1, 2, 1500, 1501]) insertLetter(id)
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

test('of a source of an older vault nobody knows when it was read, until somebody notes it', async () => {
  const { file, db } = vaultOfVersion(17)
  db.close()
  const vault = openVault(file)
  const noted = async () => (await vault.read('listSources', undefined)).map(({ readAt, problem }) => ({ readAt, problem }))
  expect(await noted()).toEqual([{ readAt: null, problem: null }])
  await vault.write('noteReading', { id: 1, readAt: noon, problem: null })
  await vault.write('noteReading', { id: 1, problem: 'refused' })
  expect(await noted()).toEqual([{ readAt: noon, problem: 'refused' }])
})

/** As version 11 kept words: those of headers like those of failures. Its second letter was erased, and its third one is damaged. */
function vaultWithMixedWords(): string {
  const { file, db, insertLetter } = vaultOfVersion(11)
  const insertContent = db.prepare('INSERT INTO contents (letter, envelope) VALUES (?, ?)')
  const insertWords = db.prepare('INSERT INTO letter_text (rowid, failure, headers) VALUES (?, ?, ?)')
  const headers = [
    ['tenant', 'zebra'],
    ['owner', 'walrus'],
  ] as const
  for (const id of [1, 2, 3]) insertLetter(id)
  db.exec(`UPDATE letters SET error_message = CASE id WHEN 3 THEN 'zebra crossed' ELSE 'card declined' END`)
  insertContent.run(1, arrival(deadLetter({ n: 1, headers })).envelope)
  insertWords.run(1, 'card declined', 'tenant zebra \uE000 owner walrus')
  insertContent.run(3, '[')
  // So many that the pages of the new index, which has none of them, do not take the place of all of the old.
  const manyWords = Array.from({ length: 5000 }, (_, n) => `word${n}`).join(' ')
  insertWords.run(3, 'zebra crossed', `tenant acme ${manyWords}`)
  db.close()
  return file
}

test('words of an older vault are found as before, those of headers apart, and are gone from its file once they are erased', async () => {
  const file = vaultWithMixedWords()
  const vault = sqliteVault({ file })
  onTestFinished(() => vault.close())
  const found = async (filter: string) =>
    (await vault.read('findLetters', { condition: conditionOf(filter, noon), limit: 10 })).map(({ id }) => id)
  expect(await found('"card declined"')).toEqual([1])
  expect(await found('zebra')).toEqual([3])
  expect(await found('header.tenant:zebra')).toEqual([1])
  expect(await found('header.tenant:zeb*')).toEqual([1])
  expect(await found('header.tenant:acme')).toEqual([])

  for (const id of [1, 3]) await vault.write('eraseLetter', { id, now: noon })
  await shredWords(vault)
  await vault.close()
  expect(readFileSync(file).includes('walrus')).toBe(false)
})
