import pg from 'pg'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { onBrokers } from '../../test/brokers/on-brokers.ts'
import { withClient } from '../../test/brokers/postgres.ts'
import { postgresVersions } from '../../test/brokers/postgres-subjects.ts'
import type { Message } from '../core/message.ts'
import { type PostgresClient, postgresInbox } from './postgres-inbox.ts'

const message = (id: string): { message: Message } => ({ message: { id, body: null, headers: [] } })

await onBrokers('postgres', postgresVersions, (broker, version) => {
  describe(`an inbox in a transaction of PostgreSQL ${version}`, { timeout: 240_000 }, () => {
    const pool = new pg.Pool({ connectionString: broker.url, max: 4 })
    pool.on('error', () => {})
    const inbox = postgresInbox({ scope: 'billing' })
    afterAll(() => pool.end())

    async function within<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        const result = await work(client)
        await client.query('COMMIT')
        return result
      } catch (error) {
        await client.query('ROLLBACK')
        throw error
      } finally {
        client.release()
      }
    }

    beforeEach(async () => {
      await withClient(broker.url, async (client) => {
        await inbox.create(client)
        await inbox.create(client)
        await client.query('TRUNCATE redrive_inbox')
      })
    })

    test('is made once by many that start at the same time', async () => {
      for (const _ of Array.from({ length: 10 })) {
        await withClient(broker.url, (client) => client.query('DROP TABLE redrive_inbox'))
        await Promise.all([1, 2, 3, 4].map(() => inbox.create(pool as unknown as PostgresClient)))
      }
    })

    test('lets a message that comes again change nothing, in each scope', async () => {
      const mail = postgresInbox({ scope: 'mail' })
      const claims = [inbox, inbox, mail, mail].map((each) => () => within((client) => each.claim(client, message('m1'))))
      const answers: string[] = []
      for (const claim of claims) answers.push(await claim())
      expect(answers).toEqual(['first', 'done', 'first', 'done'])
    })

    test('forgets a claim whose transaction was rolled back', async () => {
      const failing = within(async (client) => {
        await inbox.claim(client, message('m1'))
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await within((client) => inbox.claim(client, message('m1')))).toBe('first')
    })

    test('lets exactly one of many at the same time be the first', async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => within((client) => inbox.claim(client, message('m1')))))
      expect(answers.filter((answer) => answer === 'first')).toHaveLength(1)
    })

    test('refuses a claim outside a transaction, and leaves none behind', async () => {
      await withClient(broker.url, async (client) => {
        await expect(inbox.claim(client, message('m1'))).rejects.toMatchObject({ code: 'no-transaction' })
      })
      expect(await within((client) => inbox.claim(client, message('m1')))).toBe('first')
    })

    test('forgets what is older than it keeps', async () => {
      await within((client) => inbox.claim(client, message('old')))
      await withClient(broker.url, async (client) => {
        await client.query("UPDATE redrive_inbox SET at = at - interval '31 days'")
        await within((claiming) => inbox.claim(claiming, message('young')))
        expect(await inbox.forget(client)).toBe(1)
      })
      const claimed = (id: string) => within((client) => inbox.claim(client, message(id)))
      expect([await claimed('old'), await claimed('young')]).toEqual(['first', 'done'])
    })
  })
})
