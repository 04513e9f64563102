import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { vaultSchema } from '../../src/vault/schema.ts'
import { sqliteSql } from '../../src/vault/sqlite/sqlite-sql.ts'
import { deadLetter, keep, openVault, sourceIn, temporaryFolder } from './letters.fixture.ts'

describe('calls that share a round', () => {
  test('of which one asks for something that is not there: the others get their own answers', async () => {
    const vault = openVault()
    const [id = 0] = await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })])
    const asked = [id, 99, id, 98, id].map((letter) =>
      vault.read('showLetter', { id: letter }).then(
        (found) => found.id,
        (error: { code: string }) => error.code,
      ),
    )
    expect(await Promise.all(asked)).toEqual([id, 'not-found', id, 'not-found', id])
  })

  test('of which one is refused: the others are done', async () => {
    const vault = openVault()
    const [id = 0] = await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })])
    const outcomes = await Promise.allSettled([
      vault.write('ownCause', { id: 1, owner: 'ana' }),
      vault.write('ownCause', { id: 99, owner: 'bo' }),
      vault.write('addNote', { about: 'letter', subject: id, now: 1, actor: 'ana', text: 'seen' }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await vault.read('showCause', { id: 1 })).toMatchObject({ owner: 'ana' })
    expect(await vault.read('listNotes', { about: 'letter', subject: id })).toHaveLength(1)
  })
})

test.each([
  [
    "SELECT id FROM letters WHERE source = 1 AND broker = 'completing' AND length(identity) > 16 AND substr(identity, 1, 16) = x'00' ORDER BY id LIMIT 1",
    'letters_completing',
  ],
  ["UPDATE letters SET broker = 'gone' WHERE source = 1 AND broker = 'completing' AND id <= 5", 'letters_unaccepted'],
  ["UPDATE letters SET broker = 'completing' WHERE source = 1 AND broker = 'matched'", 'letters_matched'],
  [
    "SELECT id, state_since FROM letters WHERE source = 1 AND state = 'open' AND state_since >= 0 AND state_since < 5 ORDER BY state_since LIMIT 10",
    'letters_by_end (source=? AND state=? AND state_since>? AND state_since<?)',
  ],
  ['SELECT cause, hour FROM cause_hours WHERE hour < 5 ORDER BY hour LIMIT 10', 'cause_hours_by_age'],
  [
    'DELETE FROM tombstones WHERE (source, identity) IN (SELECT source, identity FROM tombstones WHERE until <= 5 ORDER BY until LIMIT 9)',
    'SEARCH tombstones USING PRIMARY KEY (source=? AND identity=?)',
  ],
  ['SELECT id FROM letters WHERE letter = 1', 'letters_by_letter'],
  [
    "SELECT id FROM causes WHERE shown IS NULL AND state = 'open' AND (shown_at, id) < (5, 5) ORDER BY shown_at DESC, id DESC LIMIT 50",
    'causes_by_sight (state=? AND',
  ],
  ['SELECT sum(total) FROM causes AS each WHERE each.id = 1 OR each.shown = 1', 'causes_shown_under (shown=?)'],
  ["SELECT id FROM cause_decisions WHERE kind = 'split' AND undone_at IS NULL ORDER BY id", 'cause_decisions_splitting'],
  ["SELECT seq FROM replay_letters WHERE replay = 1 AND state = 'planned' ORDER BY seq LIMIT 100", 'replay_letters_by_state'],
])('%s is answered by an index', (statement, index) => {
  const db = new DatabaseSync(':memory:')
  db.exec(vaultSchema.versions.join(';'))
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${statement}`).all() as { detail: string }[]
  expect(plan.map(({ detail }) => detail).join('\n')).toContain(index)
})

test('nobody but its owner can read the file of a vault, nor the log beside it', async () => {
  const folder = temporaryFolder()
  const vault = openVault(join(folder, 'vault.db'))
  await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })])
  const modes = readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)])
  expect(Object.fromEntries(modes)).toEqual({ 'vault.db': '600', 'vault.db-wal': '600', 'vault.db-shm': '600' })
})

test('a thousand filters leave a bounded number of statements behind, and each still gets its own answer', async () => {
  const db = new DatabaseSync(':memory:')
  const prepared: string[] = []
  const counting = (text: string) => {
    prepared.push(text)
    return db.prepare(text)
  }
  const sql = sqliteSql({ prepare: counting } as unknown as DatabaseSync)
  for (let n = 0; n < 1000; n++) expect(await sql.get(`SELECT ${n} AS n`)).toEqual({ n })
  await sql.get('SELECT 999 AS n')
  expect(prepared).toHaveLength(1000)
  await sql.get('SELECT 0 AS n')
  expect(prepared).toHaveLength(1001)
})
