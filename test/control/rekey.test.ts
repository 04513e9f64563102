import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { isServerUrl } from '../../src/core/vault-place.ts'
import { type RekeyOutcome, rekey } from '../../src/ops/rekey.ts'
import { readVaultKey, type VaultKey, type VaultKeys } from '../../src/platform/vault-key.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { conditionOf } from '../../src/vault/filter-condition.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { readContent } from '../../src/vault/operations/letters.ts'
import { rekeyBegins, rekeyStep } from '../../src/vault/operations/rekey.ts'
import { useKeys } from '../../src/vault/operations/vault-keys.ts'
import { createKeyRing, type KeyRing } from '../../src/vault/sealing/key-ring.ts'
import type { Sql } from '../../src/vault/sql.ts'
import { sqliteSql } from '../../src/vault/sqlite/sqlite-sql.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { withClient } from '../brokers/postgres.ts'
import { until } from '../until.ts'
import { deadLetter, keep, noon, sourceIn, temporaryFolder } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { behind, filesWith, keysOf, newKey, newMarker, visit } from './sealed-vault.fixture.ts'

/** For a dozen processes, one after the other, on a busy machine. Milliseconds. */
vi.setConfig({ testTimeout: 480_000 })

let places = 0
const freshFile = (): string => join(temporaryFolder(), 'vault.db')
const clock = virtualClock({ start: noon })

const bodyOf = (n: number, marker = 'order'): string => `${marker} ${n}`

/** So many letters, every hundredth of them edited. */
async function fill(place: string, keys: VaultKeys | undefined, letters: number, marker?: string): Promise<void> {
  await visit(place, keys, async (vault) => {
    const source = await sourceIn(vault)
    for (let start = 0; start < letters; start += 500) {
      const numbers = Array.from({ length: Math.min(500, letters - start) }, (_, index) => start + index)
      const messages = numbers.map((n) => deadLetter({ n, body: bodyOf(n, marker), headers: [['tenant', marker ?? 'acme']] }))
      const ids = await keep(vault, source, messages)
      for (const letter of ids.filter((_id, index) => index % 100 === 0)) {
        const edit = { envelope: '["edit"]', body: Buffer.from(`${marker ?? 'order'} edit`) }
        await vault.write('addEdit', { letter, now: noon, actor: 'ana', ...edit })
      }
    }
  })
}

async function rekeyed(place: string, keys: VaultKeys): Promise<RekeyOutcome> {
  const { vault, scrub } = await openVault(place, keys)
  return rekey({ vault, key: keys.key.id, scrub, clock, actor: 'ana' }).finally(() => vault.close())
}

/** Steps to the end, without what is done behind it; `sql` may do something else than it is told. */
async function stepOn(sql: Sql): Promise<void> {
  await rekeyBegins(sql, { now: noon })
  while ((await rekeyStep(sql, { now: noon, most: 10 })).stage !== 'scrub');
}

/** Which letters cannot be read, or hold something else than they were given; those with an edit together with that. */
async function unreadable(vault: Vault, letters: number, every = 1, marker?: string): Promise<readonly number[]> {
  const bad: number[] = []
  for (let id = 1; id <= letters; id += every) {
    const expected = bodyOf(id - 1, marker)
    const body = await vault.read('readContent', { id }).then(
      (content) => Buffer.from(content.body ?? '').toString(),
      () => undefined,
    )
    if (body !== expected) bad.push(id)
  }
  for (let edit = 1; edit <= Math.ceil(letters / 100); edit += every) {
    const letter = (edit - 1) * 100 + 1
    const isThere = await vault.read('readEdit', { letter, edit }).then(
      () => true,
      () => false,
    )
    if (!isThere) bad.push(-edit)
  }
  return bad
}

/** What the server writes anew by itself is not what is tested; and it keeps samples of what columns hold. */
const noAutovacuum = { settings: ['autovacuum = off'] }

await onBrokers(
  'postgres',
  ['15'],
  (broker) => {
    const freshUrl = (): string => `${broker.url}?schema=rekeyed_${++places}`

    describe.each([
      ['a file', freshFile, ''],
      // The server's own log holds what it held; docs/vault.md says so.
      ['a schema', freshUrl, 'base'],
    ])('letters in %s', (_, place, under) => {
      test('that were kept in clear can be read beside sealed ones, and are sealed by rekey', async () => {
        const [here, keys] = [place(), keysOf(newKey())]
        await fill(here, undefined, 150)
        await visit(here, keys, async (vault) => {
          await keep(vault, await sourceIn(vault), [deadLetter({ n: 150, body: bodyOf(150) })])
          await vault.write('addEdit', { letter: 2, now: noon, actor: 'ana', envelope: '["late"]', body: null })
          expect(await unreadable(vault, 151)).toEqual([])
        })
        const clear = () => behind(here, (sql) => sql.all<{ letter: number }>("SELECT letter FROM contents WHERE envelope <> ''"))
        expect(await clear()).toHaveLength(150)
        expect(await rekeyed(here, keys)).toMatchObject({ letters: 150, edits: 2, keys: 0, retired: [], scrubbed: true })
        expect(await clear()).toEqual([])
        await visit(here, keys, async (vault) => {
          expect(await unreadable(vault, 151)).toEqual([])
          const words = { condition: conditionOf('"card declined"', noon), limit: 1000 }
          expect(await vault.read('findLetters', words)).toHaveLength(151)
        })
        expect(await rekeyed(here, keys)).toMatchObject({ letters: 0, edits: 0, keys: 0, scrubbed: false })
      })

      test('case 49: that were kept in clear are in none of its files once they are sealed', async () => {
        const [here, keys, marker] = [place(), keysOf(newKey()), newMarker()]
        await fill(here, undefined, 400, marker)
        expect(await filesWith(marker, here, broker, under)).not.toEqual([])
        await rekeyed(here, keys)
        await visit(here, keys, async (vault) => expect(await unreadable(vault, 400, 7, marker)).toEqual([]))
        expect(await filesWith(marker, here, broker, under)).toEqual([])
      })

      test('planted bug: what was clear is found in the files where they are not written anew', async () => {
        const [here, keys, marker] = [place(), keysOf(newKey()), newMarker()]
        await fill(here, undefined, 400, marker)
        const ring = createKeyRing(keys, randomBytes)
        await behind(here, async (sql) => {
          if (!isServerUrl(here)) await sql.all('PRAGMA secure_delete = OFF')
          await stepOn({ ...sql, ring })
        })
        expect(await filesWith(marker, here, broker, under)).not.toEqual([])
      })

      test('get another key without being sealed anew, and the former key is neither needed nor taken then', async () => {
        const [here, old, next] = [place(), newKey(), newKey()]
        await fill(here, keysOf(old), 150)
        const sealed = () => behind(here, (sql) => sql.all('SELECT letter, body, sealed_envelope FROM contents ORDER BY letter'))
        const before = await sealed()
        await expect(rekeyed(here, keysOf(next))).rejects.toMatchObject({ code: 'vault-key-missing' })
        const told = { key: next.id, letters: 0, edits: 0, keys: 150, retired: [old.id], scrubbed: false }
        expect(await rekeyed(here, keysOf(next, old))).toEqual(told)
        expect(await sealed()).toEqual(before)
        await visit(here, keysOf(next), async (vault) => expect(await unreadable(vault, 150)).toEqual([]))
        await visit(here, keysOf(old), async (vault) => {
          await expect(vault.read('readContent', { id: 1 })).rejects.toMatchObject({ code: 'vault-key-missing' })
        })
        await visit(here, keysOf(old, next), async (vault) => {
          const retired = { code: 'vault-key-retired', message: expect.stringContaining(old.id) }
          await expect(keep(vault, 1, [deadLetter({ n: 999 })])).rejects.toMatchObject(retired)
          await expect(vault.write('useKeys', { now: noon })).rejects.toMatchObject(retired)
        })
        const trail = await behind(here, (sql) =>
          sql.all<{ action: string; result: string }>('SELECT action, result FROM audit ORDER BY seq'),
        )
        expect(trail.slice(-2)).toEqual(['attempted', 'done'].map((result) => ({ action: 'vault.rekey', result })))
      })

      test('one of which cannot be opened keep the former key, and the letter is named', async () => {
        const [here, old, next] = [place(), newKey(), newKey()]
        await fill(here, keysOf(old), 20)
        await behind(here, (sql) => sql.run('UPDATE letter_keys SET wrapped = ? WHERE letter = 7', randomBytes(61)))
        const refused = { code: 'content-broken', message: expect.stringContaining('letter 7') }
        await expect(rekeyed(here, keysOf(next, old))).rejects.toMatchObject(refused)
        await expect(visit(here, keysOf(next), (vault) => vault.write('useKeys', { now: noon }))).rejects.toMatchObject({
          code: 'vault-key-missing',
        })
        await visit(here, keysOf(next, old), (vault) => vault.write('eraseLetter', { id: 7, now: noon }))
        expect(await rekeyed(here, keysOf(next, old))).toMatchObject({ keys: 19, retired: [old.id] })
      })

      describe('that are given another key by a process that is killed', () => {
        const program = fileURLToPath(new URL('./rekey.program.ts', import.meta.url))

        /** Lets it die as soon as it has come further so many times; whether it came that far. */
        function killedAfter(here: string, texts: readonly string[], steps: number): Promise<boolean> {
          const child = spawn(process.execPath, [program, here, '400', String(steps), ...texts], {
            stdio: ['ignore', 'ignore', 'inherit'],
          })
          return new Promise((ended, failed) => {
            child.once('exit', (code, signal) => {
              if (signal === 'SIGKILL' || code === 0) ended(signal === 'SIGKILL')
              else failed(new Error(`It ended with ${code}.`))
            })
          })
        }

        /** The server hears of a death when it next speaks to the dead; until then, they have the vault. */
        const forgotten = () =>
          until('the server has noticed', () =>
            withClient(broker.url, async (client) => {
              const { rowCount } = await client.query("SELECT FROM pg_locks WHERE locktype = 'advisory'")
              return rowCount === 0
            }),
          )

        const drawnKey = (): readonly [string, VaultKey] => {
          const text = randomBytes(32).toString('base64')
          const key = readVaultKey(text)
          if ('problem' in key) throw new Error(key.problem)
          return [text, key]
        }

        /** Every run is killed after its first, second, … news, and most of them within the page that follows; what is left is done in the end. */
        async function killedAtEveryStep(
          here: string,
          keys: VaultKeys,
          texts: readonly string[],
          letters: number,
        ): Promise<number> {
          let struck = 0
          for (let news = 1; news < 40; news++) {
            const wasKilled = await killedAfter(here, texts, 1 + (news % 3))
            await forgotten()
            await visit(here, keys, async (vault) => expect(await unreadable(vault, letters, 97)).toEqual([]))
            if (!wasKilled) return struck
            struck++
          }
          throw new Error('It was never done.')
        }

        test('case 50: 10,000 that were sealed with a former key are readable at any moment, and in the end with the new one alone', async () => {
          const [here, [oldText, old], [nextText, next]] = [place(), drawnKey(), drawnKey()]
          await fill(here, keysOf(old), 10_000)
          const struck = await killedAtEveryStep(here, keysOf(next, old), [nextText, oldText], 10_000)
          expect(struck).toBeGreaterThan(2)
          await visit(here, keysOf(next), async (vault) => expect(await unreadable(vault, 10_000, 3)).toEqual([]))
          await visit(here, keysOf(old), (vault) =>
            expect(keep(vault, 1, [deadLetter({ n: 20_000 })])).rejects.toMatchObject({ code: 'vault-key-retired' }),
          )
        })

        test('and that were clear are sealed in the end, and found in none of its files', async () => {
          const [here, [text, key], marker] = [place(), drawnKey(), newMarker()]
          await fill(here, undefined, 3000, marker)
          let struck = 0
          while (await killedAfter(here, [text], 2)) {
            struck++
            await forgotten()
            await visit(here, keysOf(key), async (vault) => expect(await unreadable(vault, 3000, 97, marker)).toEqual([]))
          }
          expect(struck).toBeGreaterThan(1)
          await visit(here, keysOf(key), async (vault) => expect(await unreadable(vault, 3000, 11, marker)).toEqual([]))
          expect(await filesWith(marker, here, broker, under)).toEqual([])
        })
      })
    })
  },
  noAutovacuum,
)

describe('planted bug:', () => {
  const letters = 30

  interface Bench {
    readonly db: DatabaseSync
    readonly ring: KeyRing
    readonly next: VaultKey
  }

  async function bench(): Promise<Bench> {
    const [old, next] = [newKey(), newKey()]
    const db = new DatabaseSync(':memory:')
    const vault = memoryVault(db, createKeyRing(keysOf(old), randomBytes))
    const messages = Array.from({ length: letters }, (_, n) => deadLetter({ n, body: bodyOf(n) }))
    await keep(vault, await sourceIn(vault), messages)
    return { db, ring: createKeyRing(keysOf(next, old), randomBytes), next }
  }

  /** Letters that the new key alone does not open. */
  async function lost({ db, next }: Bench): Promise<number> {
    const sql = sqliteSql(db, createKeyRing(keysOf(next), randomBytes))
    const rows = await sql.all<{ vault_key: string }>('SELECT vault_key FROM letter_keys')
    return rows.filter((row) => row.vault_key !== next.id).length
  }

  /** Writes how far it came before it writes the rows, and dies in between. */
  async function marksFirst({ db, ring }: Bench): Promise<void> {
    const sql = sqliteSql(db, ring)
    await rekeyBegins(sql, { now: noon })
    while ((await rekeyStep(sql, { now: noon, most: 10 })).stage !== 'keys');
    db.exec('BEGIN')
    await rekeyStep(sql, { now: noon, most: 10 })
    const { up_to: mark } = db.prepare('SELECT up_to FROM rekeying').get() as { up_to: number }
    db.exec('ROLLBACK')
    db.prepare('UPDATE rekeying SET up_to = ?').run(mark)
  }

  /** Takes it from the mark that nothing is left, and does not look. */
  function doesNotLook(sql: Sql): Sql {
    const get = async (text: string, ...values: never[]) => (text.includes('count(*)') ? { n: 0 } : sql.get(text, ...values))
    return { ...sql, get: get as Sql['get'] }
  }

  test('a rotation that is sound leaves no letter behind', async () => {
    const sound = await bench()
    await stepOn(sqliteSql(sound.db, sound.ring))
    expect(await lost(sound)).toBe(0)
  })

  test('a mark that is committed before its rows, and a key that is retired without a look at them, lose letters', async () => {
    const planted = await bench()
    await marksFirst(planted)
    await stepOn(doesNotLook(sqliteSql(planted.db, planted.ring)))
    expect(await lost(planted)).toBe(10)
    // Nobody would be told before somebody reads one of them.
    const alone = sqliteSql(planted.db, createKeyRing(keysOf(planted.next), randomBytes))
    await useKeys(alone, { now: noon })
    await expect(readContent(alone, { id: 15 })).rejects.toMatchObject({ code: 'vault-key-missing' })
  })

  test('a mark that is committed before its rows is found out by looking at the rows', async () => {
    const planted = await bench()
    await marksFirst(planted)
    await stepOn(sqliteSql(planted.db, planted.ring))
    expect(await lost(planted)).toBe(0)
  })
})
