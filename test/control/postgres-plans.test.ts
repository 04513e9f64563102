import { describe, expect, onTestFinished, test } from 'vitest'
import type { Leading } from '../../src/vault/dialect.ts'
import { conditionOf } from '../../src/vault/filter-condition.ts'
import { showCause } from '../../src/vault/operations/causes.ts'
import { findLetters } from '../../src/vault/operations/find-letters.ts'
import { numbered } from '../../src/vault/postgres/placeholders.ts'
import { postgresDialect } from '../../src/vault/postgres/postgres-dialect.ts'
import { postgresSql } from '../../src/vault/postgres/postgres-sql.ts'
import { postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import { transactionsOf } from '../../src/vault/postgres/transactions.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { withClient } from '../brokers/postgres.ts'

await onBrokers('postgres', ['15'], (broker) => {
  const schema = `plans_${process.pid}`

  async function makeVault(): Promise<void> {
    const vault = postgresVault({ url: `${broker.url}?schema=${schema}` })
    await vault.read('listSources', undefined)
    await vault.close()
  }

  /** How the server would answer, where sorting is the last thing that it does. */
  async function planOf(text: string, values: readonly unknown[]): Promise<string> {
    await makeVault()
    return withClient(broker.url, async (client) => {
      await client.query(
        `SET search_path TO ${schema}; SET enable_sort = off; SET enable_seqscan = off; SET enable_bitmapscan = off`,
      )
      const { rows } = await client.query(`EXPLAIN ${numbered(text)}`, [...values])
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
  }

  describe('the newest letters of what leads', () => {
    const leads: readonly (readonly [string, readonly Leading[]])[] = [
      ['letters_by_state', [{ column: 'letters.state', value: 'discarded' }]],
      ['letters_by_channel', [{ column: 'letters.channel', value: 'orders', isText: true }]],
      [
        'letters_by_cause',
        [
          { column: 'letters.cause', value: 7 },
          { column: 'letters.state', value: 'open' },
        ],
      ],
    ]

    test.each(leads)('are read in %s, and in no other order', async (index, leading) => {
      const { text, values, order } = postgresDialect.newestOf(leading, { from: 0, before: 1000 })
      const plan = await planOf(`SELECT id FROM letters WHERE ${text} ORDER BY ${order} LIMIT 50`, values)
      expect(plan).toContain(`using ${index} on letters`)
      expect(plan).not.toContain('Sort')
    })
  })

  describe('a cause that is asked for behind a page of letters, as an export does', () => {
    /** The server says so where it would compile the question before it answers. */
    async function isCompiled(begin: string): Promise<boolean> {
      await makeVault()
      return withClient(broker.url, async (client) => {
        await client.query(begin)
        const asked = postgresSql((text, values) => client.query(text, values && [...values]))
        await findLetters(asked, { condition: conditionOf('', 0), limit: 50 })
        const explained = postgresSql((text, values) => client.query(`EXPLAIN ${text}`, values && [...values]))
        const plan = await explained.all<{ 'QUERY PLAN': string }>(await questionFor(7), 7)
        return plan.some((line) => line['QUERY PLAN'].includes('JIT'))
      })
    }

    async function questionFor(cause: number): Promise<string> {
      let question = ''
      const noting = postgresSql(async (text) => {
        question = text
        return { rows: [], rowCount: 0 }
      })
      await expect(showCause(noting, { id: cause })).rejects.toMatchObject({ code: 'not-found' })
      return question
    }

    const begin = transactionsOf(schema).read
    const withCompiler = begin.replace('SET LOCAL jit = off', 'SET LOCAL jit = on')

    test('is not compiled', async () => {
      expect(await isCompiled(begin)).toBe(false)
    })

    test('would not be by a server that compiles: letters leave nothing behind them', async () => {
      expect(await isCompiled(withCompiler)).toBe(false)
    })

    describe('planted bug: nobody says that order need not be kept any more', () => {
      const dialect = postgresDialect as { keepOrder: typeof postgresDialect.keepOrder }

      function forgetTheEnd(): void {
        const { keepOrder } = postgresDialect
        onTestFinished(() => {
          dialect.keepOrder = keepOrder
        })
        dialect.keepOrder = keepOrder && { ...keepOrder, until: 'SELECT' }
      }

      test('a server that compiles takes the question for costly', async () => {
        forgetTheEnd()
        expect(await isCompiled(withCompiler)).toBe(true)
      })

      test('one that does not, does not mind', async () => {
        forgetTheEnd()
        expect(await isCompiled(begin)).toBe(false)
      })
    })
  })
})
