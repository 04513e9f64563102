import { describe, expect, test } from 'vitest'
import type { Leading } from '../../src/vault/dialect.ts'
import { numbered } from '../../src/vault/postgres/placeholders.ts'
import { postgresDialect } from '../../src/vault/postgres/postgres-dialect.ts'
import { postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { withClient } from '../brokers/postgres.ts'

await onBrokers('postgres', ['15'], (broker) => {
  /** How the server would answer, where sorting is the last thing that it does. */
  async function planOf(text: string, values: readonly unknown[]): Promise<string> {
    const schema = `plans_${process.pid}`
    const vault = postgresVault({ url: `${broker.url}?schema=${schema}` })
    await vault.read('listSources', undefined)
    await vault.close()
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
})
