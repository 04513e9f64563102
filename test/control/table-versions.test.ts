import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { createConnections } from '../../src/platform/postgres/connections.ts'
import { migrate } from '../../src/vault/postgres/migrate.ts'
import { vaultTypes } from '../../src/vault/postgres/postgres-sql.ts'
import { postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import { type Settling, settle } from '../../src/vault/postgres/settle.ts'
import { knownTables } from '../../src/vault/postgres/tables.ts'
import { transactionsOf } from '../../src/vault/postgres/transactions.ts'
import { vaultErrors } from '../../src/vault/postgres/vault-errors.ts'
import type { TableVersion } from '../../src/vault/table-version.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { withClient } from '../brokers/postgres.ts'
import { until } from '../until.ts'
import { deadLetter, keep, sourceIn } from './letters.fixture.ts'

/** Letters get a shop, and causes lose their owners. */
const next: TableVersion = {
  expansion: 'ALTER TABLE letters ADD COLUMN shop text',
  filling: { table: 'letters', key: 'id', set: "shop = 'main'", where: 'shop IS NULL' },
  contraction: 'ALTER TABLE causes DROP COLUMN owner',
}
const known = knownTables.length
const knownNext = [...knownTables, next]

let schemas = 0

await onBrokers('postgres', ['15'], (broker) => {
  /** A schema, vaults in it of code that knows these tables, and what is to be settled there. */
  function place() {
    const schema = `versions_${++schemas}`
    const connections = createConnections(
      {
        url: broker.url,
        tls: undefined,
        connections: 2,
        connectWithin: 10_000,
        answerWithin: 60_000,
        clock: systemClock,
        types: vaultTypes,
      },
      vaultErrors,
    )
    onTestFinished(() => connections.close())
    const begin = transactionsOf(schema)
    const settling: Settling = { connections, schema, begin, versions: knownNext }
    return {
      ...{ schema, settling },
      open(versions = knownTables) {
        const vault = postgresVault({ url: `${broker.url}?schema=${schema}` }, undefined, versions)
        onTestFinished(() => vault.close())
        return vault
      },
      migrateTo: (versions: readonly TableVersion[]) => migrate(connections, schema, begin, versions),
      barely: <Row>(sql: string): Promise<readonly Row[]> =>
        withClient(broker.url, async (client) => {
          await client.query(`SET search_path TO ${schema}`)
          return (await client.query(sql)).rows
        }),
    }
  }

  const state = 'SELECT version, settled, oldest FROM vault_version'

  describe('tables of the next version', () => {
    test('are expanded to once, by any number that start at the same moment; code of today starts on them and works', async () => {
      const { open, barely } = place()
      await open().read('listSources', undefined)
      const started = Array.from({ length: 4 }, () => open(knownNext))
      await Promise.all(started.map((vault) => vault.read('listSources', undefined)))
      expect(await barely(state)).toEqual([{ version: known + 1, settled: known, oldest: 0 }])
      const today = open()
      expect(await keep(today, await sourceIn(today), [deadLetter({ n: 1 })])).toHaveLength(1)
    })

    test('that say how reading a source went come beside code of before, which goes on writing sources as it knows them', async () => {
      const { open, migrateTo, barely } = place()
      const before = knownTables.slice(0, 17)
      await migrateTo(before)
      const add = (channel: string) =>
        barely(`INSERT INTO sources (connection, channel, part, consumer_group) VALUES ('shop', '${channel}', '', '')`)
      await add('dlq.orders')
      const today = open()
      const noted = async () => (await today.read('listSources', undefined)).map(({ readAt, problem }) => ({ readAt, problem }))
      expect(await noted()).toEqual([{ readAt: null, problem: null }])
      await add('dlq.stock')
      const { id } = await today.write('registerSource', { connection: 'shop', channel: 'dlq.orders', part: '', group: '' })
      const readAt = Date.UTC(2030, 0, 1)
      await today.write('noteReading', { id, readAt, problem: null })
      await today.write('noteReading', { id, problem: 'refused' })
      expect(await noted()).toEqual([
        { readAt, problem: 'refused' },
        { readAt: null, problem: null },
      ])
      expect(await barely(state)).toEqual([{ version: known, settled: before.length, oldest: 0 }])
    })

    test('are whole at once where there was nothing, and code of today does not start on them', async () => {
      const { open, barely } = place()
      await Promise.all([open(knownNext), open(knownNext)].map((vault) => vault.read('listSources', undefined)))
      expect(await barely(state)).toEqual([{ version: known + 1, settled: known + 1, oldest: known + 1 }])
      await expect(open().read('listSources', undefined)).rejects.toMatchObject({
        code: 'store-newer',
        message: expect.stringContaining(`no version of Redrive before ${known + 1} can use`),
      })
    })

    test('lose nothing while somebody of today is there; when it has gone, whoever of today comes back is refused', async () => {
      const { open, migrateTo, settling, barely } = place()
      const today = open()
      const source = await sourceIn(today)
      await keep(
        today,
        source,
        Array.from({ length: 1200 }, (_, n) => deadLetter({ n })),
      )
      const membership = await today.join({
        ...{ name: 'a', release: '0', onNotice() {}, onGap() {}, onProblem() {} },
        work: async () => async () => {},
        sharing: { shares: [], work: async () => async () => {} },
      })
      await migrateTo(knownNext)
      expect(await settle(settling)).toBe(false)
      expect(await barely('SELECT 1 FROM letters WHERE shop IS NULL')).toEqual([])
      expect(await keep(today, source, [deadLetter({ n: 5000 })])).toHaveLength(1)

      await membership.leave()
      expect(await settle(settling)).toBe(true)
      expect(await barely(state)).toEqual([{ version: known + 1, settled: known + 1, oldest: known + 1 }])
      expect(await barely('SELECT 1 FROM letters WHERE shop IS NULL')).toEqual([])
      for (const asked of [today.read('listSources', undefined), keep(today, source, [deadLetter({ n: 5001 })])]) {
        await expect(asked).rejects.toMatchObject({ code: 'store-newer' })
      }
    })

    test('planted bug: where nobody asks who is there, it goes under the hands of one that works', async () => {
      const { open, migrateTo, settling } = place()
      const today = open()
      await sourceIn(today)
      await migrateTo(knownNext)
      expect(await settle({ ...settling, isNeeded: async () => false })).toBe(true)
      await expect(today.read('listSources', undefined)).rejects.toMatchObject({ code: 'store-newer' })
    })

    test('wait for control planes of before, which are known by the name of their session alone', async () => {
      const { open, migrateTo, settling } = place()
      await open().read('listSources', undefined)
      await migrateTo(knownNext)
      await withClient(broker.url, async (client) => {
        await client.query("SET application_name TO 'redrive control plane'")
        expect(await settle(settling)).toBe(false)
      })
      await until('its session has ended', () => settle(settling))
    })

    test('keep nobody waiting behind a long question: whoever changes a table lets others through', async () => {
      const { open, migrateTo, schema, barely } = place()
      const today = open()
      const source = await sourceIn(today)
      await withClient(broker.url, async (reader) => {
        await reader.query('BEGIN')
        await reader.query(`SELECT FROM ${schema}.letters`)
        const migrating = migrateTo(knownNext)
        const isWaiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"
        await until('it waits', async () => (await barely(isWaiting)).length > 0)
        expect(await keep(today, source, [deadLetter({ n: 1 })])).toHaveLength(1)
        await reader.query('COMMIT')
        await migrating
      })
      expect(await barely(state)).toEqual([{ version: known + 1, settled: known, oldest: 0 }])
    })
  })
})
