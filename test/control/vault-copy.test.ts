import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import { runControlPlane } from '../../src/cli/run-control-plane.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { copiedTables } from '../../src/vault/copy/copied-tables.ts'
import { copyVault } from '../../src/vault/copy/copy-vault.ts'
import { copyBetween } from '../../src/vault/copy/open-copy.ts'
import { type CopyOutcome, isEqual, isWhole } from '../../src/vault/copy/outcome.ts'
import type { CopyTarget } from '../../src/vault/copy/place.ts'
import { conditionOf } from '../../src/vault/filter-condition.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { serverTarget } from '../../src/vault/postgres/copy-places.ts'
import { postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import type { Row, Sql } from '../../src/vault/sql.ts'
import { fileSource, fileTarget } from '../../src/vault/sqlite/copy-places.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { withClient } from '../brokers/postgres.ts'
import { until } from '../until.ts'
import { fill, filledFile } from './filled-vault.fixture.ts'
import { deadLetter, keep, noon, sourceIn, temporaryFolder } from './letters.fixture.ts'

/** For seven processes, one after the other, on a busy machine. Milliseconds. */
const patience = 480_000

let places = 0
const freshFile = (): string => join(temporaryFolder(), 'vault.db')
const silent = (): void => {}

const hashes = ({ tables }: CopyOutcome) => Object.fromEntries(tables.map(({ table, target }) => [table, target]))
const differing = ({ tables }: CopyOutcome) => tables.filter((each) => !isEqual(each)).map(({ table }) => table)

await onBrokers('postgres', ['15'], (broker) => {
  const freshUrl = (): string => `${broker.url}?schema=copy_${++places}`

  test('what is copied is every table of the schema, in a file and on the server', async () => {
    const url = freshUrl()
    const vault = postgresVault({ url })
    await vault.read('listSources', undefined).finally(() => vault.close())
    const onServer = await withClient(broker.url, (client) =>
      client.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [`copy_${places}`]),
    )
    const names = copiedTables().map(({ name }) => name)
    const ownOfServer = ['vault_version', 'control_plane', 'leases', 'instances']
    expect(onServer.rows.map(({ tablename }) => tablename).toSorted()).toEqual([...names, ...ownOfServer].toSorted())
    expect(names).toContain('letters')
  })

  describe('a vault with some of everything', () => {
    /** A letter more, a note, a row of the trail and a person: what gets a number of its own, and must not get one that was given. */
    async function isUsable(place: string): Promise<void> {
      const { vault } = await openVault(place)
      onTestFinished(() => vault.close())
      const last = Math.max(...(await found(vault, '')))
      const [id = 0] = await keep(vault, await sourceIn(vault), [deadLetter({ n: 1_000_000 })])
      // Three of the last ones were purged, and their numbers are known.
      expect(id).toBeGreaterThanOrEqual(last + 3)
      await vault.write('addNote', { about: 'letter', subject: id, now: noon, actor: 'bo', text: 'after' })
      await vault.write('createUser', { name: `bo-${++places}`, role: 'viewer', sources: ['*'], reveal: false, now: noon })
      const entry = { at: 0, actor: 'ana', address: '', action: 'copy', object: '', detail: '{}', result: 'done' } as const
      await vault.write('appendAudit', entry)
      const verdict = await vault.read('verifyAudit', {})
      expect([verdict.rows, verdict.bad]).toEqual([6, undefined])
    }

    const found = async (vault: Vault, filter: string) =>
      (await vault.read('findLetters', { condition: conditionOf(filter, noon), limit: 1000 })).map(({ id }) => id)

    const filters = [
      '"cause 3"',
      'header.tenant:acme',
      'declined OR cause',
      'body:twice',
      'body:"ring once"',
      'key:key-4',
      'state:discarded',
    ]

    async function answers(place: string): Promise<readonly (readonly number[])[]> {
      const { vault } = await openVault(place)
      try {
        return await Promise.all(filters.map((filter) => found(vault, filter)))
      } finally {
        await vault.close()
      }
    }

    test('is the same after it went to the server and back, finds the same, and can be used in both', async () => {
      const [file, url, back] = [await filledFile(freshFile()), freshUrl(), freshFile()]
      const there = await copyBetween(file, url, silent)
      expect([isWhole(there), differing(there)]).toEqual([true, []])
      expect(there.tables.filter(({ source }) => source.rows === 0)).toEqual([])
      const home = await copyBetween(url, back, silent)
      expect([isWhole(home), hashes(home)]).toEqual([true, hashes(there)])
      const expected = await answers(file)
      expect(expected.filter((ids) => ids.length === 0)).toEqual([])
      expect(await answers(url)).toEqual(expected)
      expect(await answers(back)).toEqual(expected)
      await isUsable(url)
      await isUsable(back)
    })

    test('that grew up on the server comes into a file', async () => {
      const [url, file] = [freshUrl(), freshFile()]
      const vault = postgresVault({ url })
      await fill(vault).finally(() => vault.close())
      expect(differing(await copyBetween(url, file, silent))).toEqual([])
      expect(await answers(file)).toEqual(await answers(url))
      await isUsable(file)
    })

    test('whose letters are larger than a page is copied with every byte', async () => {
      const [file, url] = [freshFile(), freshUrl()]
      const { vault } = await openVault(file)
      const large = [1, 2, 3].map((n) => deadLetter({ n, body: 'é'.repeat(3 * 1024 * 1024 + n) }))
      await keep(vault, await sourceIn(vault), large).finally(() => vault.close())
      const outcome = await copyBetween(file, url, silent)
      expect([isWhole(outcome), outcome.tables.find(({ table }) => table === 'contents')?.target.rows]).toEqual([true, 3])
    })
  })

  describe('a copy that is not what it should be', () => {
    type Meddle = (text: string, rows: readonly Row[]) => readonly Row[]

    /** A target that does something else with what it is given. */
    function meddling(target: CopyTarget, meddle: Meddle): CopyTarget {
      const on = (sql: Sql): Sql => ({
        ...sql,
        runEach: async (text, rows) => {
          const changed = meddle(text, rows)
          if (changed.length > 0) await sql.runEach(text, changed)
        },
      })
      return { ...target, write: (work) => target.write((sql) => work(on(sql))) }
    }

    const into = (table: string, change: (rows: readonly Row[]) => readonly Row[]): Meddle => {
      return (text, rows) => (text.startsWith(`INSERT INTO ${table} `) ? change(rows) : rows)
    }
    const otherBody = (row: Row): Row => [...row.slice(0, 2), Buffer.from('another one'), ...row.slice(3)]

    const plants: readonly (readonly [string, string, Meddle])[] = [
      ['drops a row', 'letters', into('letters', (rows) => rows.slice(1))],
      ['changes a body', 'contents', into('contents', (rows) => rows.map((row, n) => (n === 7 ? otherBody(row) : row)))],
      ['skips a table', 'alert_samples', into('alert_samples', () => [])],
      ['leaves out words', 'letter_text', into('letter_text', (rows) => rows.slice(0, -1))],
      [
        'writes a number as another',
        'tallies',
        into('tallies', (rows) => rows.map(([a = 0, b = '', n]) => [a, b, Number(n) + 1])),
      ],
    ]

    const targets = { 'a file': () => fileTarget(freshFile()), 'a server': () => serverTarget(freshUrl()) }

    describe.each(Object.entries(targets))('into %s', (_, open) => {
      test.each(plants)(
        'planted bug: one that %s is seen, and is no vault; the next run mends it',
        async (_name, table, meddle) => {
          const source = await fileSource(await filledFile(freshFile()))
          onTestFinished(() => source.close())
          const target = await open()
          onTestFinished(() => target.close())
          expect(differing(await copyVault(source, meddling(target, meddle)))).toEqual([table])
          expect(await target.read(target.words.isHalfCopy)).toBe(true)
          const mended = await copyVault(source, target)
          expect([isWhole(mended), await target.read(target.words.isHalfCopy)]).toEqual([true, false])
        },
      )
    })
  })

  describe('a copy that was killed', () => {
    const program = fileURLToPath(new URL('./copy.program.ts', import.meta.url))

    /** Lets it die as soon as it has told so many times how far it came; whether it came that far. */
    function killedAfter(from: string, to: string, news: number): Promise<boolean> {
      const child = spawn(process.execPath, [program, from, to, String(news)], { stdio: ['ignore', 'ignore', 'inherit'] })
      return new Promise((ended, failed) => {
        child.once('exit', (code, signal) => {
          if (signal === 'SIGKILL' || code === 0) ended(signal === 'SIGKILL')
          else failed(new Error(`The copy ended with ${code}.`))
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

    /** Some early, most in the middle of the tables, some while everything is compared. */
    const moments = () => [1, ...Array.from({ length: 5 }, () => 1 + Math.floor(Math.random() * 40))]

    test.each([
      ['to the server', async () => [await filledFile(freshFile(), 2500), freshUrl()] as const],
      [
        'into a file',
        async () => {
          const url = freshUrl()
          await copyBetween(await filledFile(freshFile(), 2500), url, silent)
          return [url, freshFile()] as const
        },
      ],
    ])(
      '%s goes on where it was, and is whole in the end',
      async (_, prepare) => {
        const [from, to] = await prepare()
        const kills = moments()
        let struck = 0
        for (const news of kills) {
          if (await killedAfter(from, to, news)) struck++
          await forgotten()
        }
        const outcome = await copyBetween(from, to, silent)
        expect({ kills, differing: differing(outcome) }).toEqual({ kills, differing: [] })
        expect([struck > 0, outcome.before > 0]).toEqual([true, true])
        // Once more, as somebody does who did not see that it was done.
        expect(await copyBetween(from, to, silent)).toMatchObject({ copied: 0, tables: outcome.tables })
      },
      patience,
    )

    test('planted bug: rows that are written apart from the note of them are there twice, or not at all', async () => {
      const source = await fileSource(await filledFile(freshFile()))
      onTestFinished(() => source.close())
      const target = await fileTarget(freshFile())
      onTestFinished(() => target.close())
      /** Commits the rows, and dies before how far it came is noted. */
      const apart: CopyTarget = {
        ...target,
        write: (work) => target.write((sql) => work({ ...sql, run: async (text, ...values) => onlyMark(sql, text, values) })),
      }
      const onlyMark = (sql: Sql, text: string, values: Row) =>
        text.startsWith('UPDATE vault_copy') ? 1 : sql.run(text, ...values)
      const dying = copyVault(source, apart, ({ table }) => {
        if (table === 'letters') throw new Error('killed')
      })
      await expect(dying).rejects.toThrow('killed')
      await expect(copyVault(source, target)).rejects.toMatchObject({ code: 'store-failed' })
    })

    test('and whose source was used meanwhile is a copy of what the source holds now', async () => {
      const [file, url] = [await filledFile(freshFile()), freshUrl()]
      await halfway(file, url)
      const db = new DatabaseSync(file)
      db.exec("UPDATE causes SET owner = 'somebody else'; DELETE FROM alert_groups")
      db.close()
      const outcome = await copyBetween(file, url, silent)
      expect([outcome.before > 0, differing(outcome)]).toEqual([true, []])
    })
  })

  /** Ends in the middle, as a process does that is killed between two pages. */
  async function halfway(from: string, to: string): Promise<void> {
    const dying = copyBetween(from, to, ({ table }) => {
      if (table === 'letters') throw new Error('killed')
    })
    await expect(dying).rejects.toThrow('killed')
  }

  describe.each([
    ['a file', freshFile],
    ['a schema', freshUrl],
  ])('half of a copy in %s', (_, place) => {
    test('is refused by a control plane and by whoever asks for letters, with the command that goes on', async () => {
      const [file, to] = [await filledFile(freshFile()), place()]
      await halfway(file, to)
      const told = { code: 'copy-unfinished', message: expect.stringContaining('redrive vault copy') }
      const config = await readConfig(`vault: ${to}`, { file: 'redrive.yaml', folder: temporaryFolder(), environment: {} })
      const running = runControlPlane({ ...config, server: { ...config.server, port: 0 } }, { onProblem: silent })
      await expect(running).rejects.toMatchObject(told)
      const { vault } = await openVault(to)
      await expect(vault.read('listSources', undefined)).rejects.toMatchObject(told)
      await expect(vault.write('appendAudit', {} as never)).rejects.toMatchObject(told)
      await vault.close()
      await expect(copyBetween(to, freshFile(), silent)).rejects.toMatchObject(told)
    })

    test('is not gone on with from another vault', async () => {
      const [file, to] = [await filledFile(freshFile()), place()]
      await halfway(file, to)
      const other = copyBetween(await filledFile(freshFile()), to, silent)
      await expect(other).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(file) })
    })
  })

  describe('is refused', () => {
    test.each([
      ['a file', freshFile],
      ['a schema', freshUrl],
    ])('into %s that holds something else, which stays as it is', async (_, place) => {
      const [from, to] = [await filledFile(freshFile()), place()]
      const { vault } = await openVault(to)
      await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })])
      await vault.close()
      await expect(copyBetween(from, to, silent)).rejects.toMatchObject({ code: 'conflict', message: /not empty/ })
      const again = await openVault(to)
      onTestFinished(() => again.vault.close())
      expect(await again.vault.read('listSources', undefined)).toHaveLength(1)
    })

    test.each([
      ['a file', freshFile],
      ['a schema', freshUrl],
    ])('while a control plane has %s, as the source and as the target', async (_, place) => {
      const held = place()
      const { vault, lock } = await openVault(held)
      await fill(vault)
      const { release } = await lock(silent)
      onTestFinished(async () => {
        await release()
        await vault.close()
      })
      await expect(copyBetween(held, freshFile(), silent)).rejects.toMatchObject({ code: 'conflict' })
      await expect(copyBetween(await filledFile(freshFile()), held, silent)).rejects.toMatchObject({ code: 'conflict' })
    })

    test('from a vault that is not there, which is not made, and onto itself', async () => {
      const [file, url] = [freshFile(), freshUrl()]
      for (const place of [file, url]) {
        await expect(copyBetween(place, freshFile(), silent)).rejects.toMatchObject({
          code: 'bad-option',
          message: /no such vault/,
        })
        await expect(copyBetween(place, place, silent)).rejects.toMatchObject({ code: 'bad-option', message: /same vault/ })
      }
      expect(existsSync(file)).toBe(false)
      expect(await schemasOf(broker)).not.toContain(`copy_${places}`)
    })

    test.each([
      ['a file', freshFile],
      ['a schema', freshUrl],
    ])('nobody: but who writes to %s meanwhile waits until it is copied', async (_, place) => {
      const from = place()
      const { vault } = await openVault(from)
      onTestFinished(() => vault.close())
      await fill(vault)
      let [isCopied, wrote]: [boolean, Promise<boolean> | undefined] = [false, undefined]
      const outcome = await copyBetween(from, freshFile(), ({ doing, done, all }) => {
        isCopied = doing === 'comparing' && done === all
        wrote ??= sourceIn(vault, 'dlq.late').then(() => isCopied)
      })
      expect([differing(outcome), await wrote]).toEqual([[], true])
    })
  })
})

async function schemasOf({ url }: Broker): Promise<readonly string[]> {
  const { rows } = await withClient(url, (client) => client.query('SELECT nspname FROM pg_namespace'))
  return rows.map(({ nspname }) => nspname)
}
