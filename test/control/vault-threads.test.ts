import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { vaultSchema } from '../../src/vault/schema.ts'
import { deadLetter, keep, openVault, sourceIn } from './letters.fixture.ts'

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
    "SELECT id FROM letters WHERE source = 1 AND broker = 'completing' AND substr(identity, 1, 16) = x'00' ORDER BY id LIMIT 1",
    'letters_completing',
  ],
  ["UPDATE letters SET broker = 'completing' WHERE source = 1 AND broker = 'matched'", 'letters_matched'],
  ["SELECT id FROM letters WHERE state IN ('open') AND state_since < 5 LIMIT 10", 'letters_by_age'],
  ['SELECT id FROM letters WHERE letter = 1', 'letters_by_letter'],
  ["SELECT seq FROM replay_letters WHERE replay = 1 AND state = 'planned' ORDER BY seq LIMIT 100", 'replay_letters_by_state'],
])('%s is answered by an index', (statement, index) => {
  const db = new DatabaseSync(':memory:')
  db.exec(vaultSchema.versions.join(';'))
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${statement}`).all() as { detail: string }[]
  expect(plan.map(({ detail }) => detail).join('\n')).toContain(index)
})
