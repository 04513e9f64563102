import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import { checkConservation } from '../../src/ops/conservation.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { conditionOf } from '../../src/vault/filter-condition.ts'
import { lineName } from '../../src/vault/postgres/line.ts'
import { type PostgresVault, postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import { type Transactions, transactionsOf } from '../../src/vault/postgres/transactions.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { withClient } from '../brokers/postgres.ts'
import { until } from '../until.ts'
import { arrival, deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'

const bare = (vault: Vault, filter: string) => vault.read('findLetters', { condition: conditionOf(filter, noon), limit: 1000 })

const entry = { at: 0, actor: 'ana', address: '', action: 'look', object: '', detail: '{}', result: 'done' } as const

let schemas = 0
const freshSchema = (): string => `own_${++schemas}`

function opened(broker: Broker, schema: string, beginnings?: (schema: string) => Transactions): PostgresVault {
  // What is done again in silence would hide what a planted bug does.
  const tries = beginnings ? { tries: 1 } : {}
  const vault = postgresVault({ url: `${broker.url}?schema=${schema}`, ...tries }, beginnings)
  onTestFinished(() => vault.close())
  return vault
}

const withoutLock = (schema: string): Transactions => {
  const { write, ...rest } = transactionsOf(schema)
  return { ...rest, write: write.replace(/; SELECT pg_advisory_xact_lock.*$/, '') }
}

/** A snapshot of the whole transaction is as old as the question for the lock. */
const withOldSnapshot = (schema: string): Transactions => {
  const { write, ...rest } = transactionsOf(schema)
  return { ...rest, write: write.replace('READ COMMITTED', 'REPEATABLE READ') }
}

await onBrokers('postgres', ['15'], (broker) => {
  describe('several that write at once', () => {
    /** Three vaults keep the same letters, note what they do, and are watched by somebody who asks for what is new: whatever went wrong. */
    async function troubles(beginnings?: (schema: string) => Transactions): Promise<readonly string[]> {
      const schema = freshSchema()
      const first = opened(broker, schema)
      const source = await sourceIn(first)
      const writers = [1, 2, 3].map(() => opened(broker, schema, beginnings))
      const wrong: string[] = []
      const tried = (work: Promise<unknown>) => work.catch((error) => void wrong.push(String(error.code)))
      let isOver = false
      const watching = watched(first, () => isOver)
      await Promise.all(
        writers.map(async (vault) => {
          for (let batch = 0; batch < 15; batch++) {
            const numbers = Array.from({ length: 5 }, (_, index) => batch * 5 + index)
            await Promise.all([
              tried(
                keep(
                  vault,
                  source,
                  numbers.map((n) => deadLetter({ n, error: `cause ${n % 3}` })),
                ),
              ),
              tried(vault.write('appendAudit', entry)),
            ])
            // Beside letters it waits for the row of their source, which is nearly as good as a lock.
            await tried(vault.write('appendAudit', entry))
          }
        }),
      )
      isOver = true
      if ((await watching) !== 75) wrong.push('not all were seen')
      if (!(await checkConservation(first, systemClock)).holds) wrong.push('not accounted for')
      const { rows, bad } = await first.read('verifyAudit', {})
      if (bad || rows !== 90) wrong.push('the trail is broken')
      return wrong
    }

    /** How many letters somebody hears of who always asks for those behind the last one. */
    async function watched(vault: Vault, isOver: () => boolean): Promise<number> {
      let [after, heard] = [0, 0]
      for (let isLast = false; ; isLast = isOver()) {
        const { upTo } = await vault.read('settledLetters', undefined)
        const { last, counts } = await vault.read('newLetters', { after, upTo })
        heard += counts.reduce((sum, { letters }) => sum + letters, 0)
        after = last
        if (isLast) return heard
      }
    }

    test('keep each letter once, lose no count, break no chain, and hide nothing from who asks for what is new', async () => {
      expect(await troubles()).toEqual([])
    })

    test.each([
      ['no lock', withoutLock],
      ['a snapshot from before the lock', withOldSnapshot],
    ])('planted bug: with %s they are in each other’s way', async (_, beginnings) => {
      expect(await troubles(beginnings)).not.toEqual([])
    })

    test('one that is refused takes back what it did, and nothing of those beside it', async () => {
      const vault = opened(broker, freshSchema())
      const made = (name: string) => vault.write('createUser', { name, role: 'admin', sources: ['*'], reveal: false, now: noon })
      await made('ana')
      const together = await Promise.allSettled([made('bo'), made('ana'), made('cy')])
      expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect((await vault.read('listUsers', undefined)).map(({ name }) => name)).toEqual(['ana', 'bo', 'cy'])
    })
  })

  describe('a transaction that the server ended for the sake of another one', () => {
    /** Stands in the way of whoever writes, who has the lock of the vault already; the result lets it go on. */
    async function gate(schema: string, number: number): Promise<{ begins: string; open(): Promise<void> }> {
      const keeper = new pg.Client({ connectionString: broker.url })
      await keeper.connect()
      await keeper.query(`SELECT pg_advisory_lock(${number})`)
      const begins = `${transactionsOf(schema).write}; SELECT pg_advisory_xact_lock(${number})`
      return { begins, open: () => keeper.end() }
    }

    const waiting = (number: number) => async () => {
      const { rowCount } = await keeperAsks('SELECT FROM pg_locks WHERE NOT granted')
      return rowCount === number
    }
    const keeperAsks = (sql: string) => withClient(broker.url, (client) => client.query(sql))

    /** Somebody else has the row that the vault is about to change, and waits for the vault: the vault closes the ring, and is the one that sees it. */
    async function deadlocked(vault: PostgresVault, schema: string, open: () => Promise<void>): Promise<Promise<unknown>> {
      return withClient(broker.url, async (other) => {
        await other.query(`BEGIN; SET LOCAL deadlock_timeout = '1h'; SET LOCAL search_path TO ${schema}`)
        await other.query('SELECT FROM audit_head FOR UPDATE')
        const writing = Promise.allSettled([vault.write('appendAudit', entry)])
        await until('the vault stands at the gate', waiting(1))
        const locking = other.query(`SELECT pg_advisory_xact_lock(hashtext('redrive vault'), hashtext('${schema}'))`)
        await until('the other one waits for the vault', waiting(2))
        await open()
        await locking
        await other.query('COMMIT')
        return writing
      })
    }

    /** With one snapshot for the whole transaction, a row that somebody else has changed since cannot be changed. */
    async function outrun(vault: PostgresVault, schema: string, open: () => Promise<void>): Promise<Promise<unknown>> {
      const writing = Promise.allSettled([vault.write('appendAudit', entry)])
      await until('the vault stands at the gate', waiting(1))
      await keeperAsks(`UPDATE ${schema}.audit_head SET hash = hash`)
      await open()
      return writing
    }

    let gates = 1000
    const asIs = (begins: string) => begins
    const oneSnapshot = (begins: string) => begins.replace('READ COMMITTED', 'REPEATABLE READ')

    describe.each([
      ['40P01', 'in a ring of waiting', deadlocked, asIs],
      ['40001', 'after a row was changed under it', outrun, oneSnapshot],
    ])('with %s, %s', (state, _, provoke, begin) => {
      async function provoked(tries?: number): Promise<{ outcome: unknown; rows: unknown }> {
        const schema = freshSchema()
        await opened(broker, schema).write('appendAudit', entry)
        const { begins, open } = await gate(schema, ++gates)
        const vault = postgresVault({ url: `${broker.url}?schema=${schema}`, ...(tries && { tries }) }, () => ({
          ...transactionsOf(schema),
          write: begin(begins),
        }))
        onTestFinished(() => vault.close())
        const outcome = await provoke(vault, schema, open)
        const { rows, bad } = await vault.read('verifyAudit', {})
        return { outcome, rows: bad ?? rows }
      }

      test('is done again, once', async () => {
        expect(await provoked()).toMatchObject({ outcome: [{ status: 'fulfilled', value: { seq: 2 } }], rows: 2 })
      })

      test('planted bug: who tries once is told of it', async () => {
        const told = { status: 'rejected', reason: { code: 'refused', message: expect.stringContaining(state) } }
        expect(await provoked(1)).toMatchObject({ outcome: [told], rows: 1 })
      })
    })
  })

  describe('the tables', () => {
    const versionIn = (schema: string) =>
      withClient(broker.url, async (client) => (await client.query(`SELECT version FROM ${schema}.vault_version`)).rows)

    test('are made once by those that start at once', async () => {
      const schema = freshSchema()
      await Promise.all([1, 2, 3, 4, 5].map(() => sourceIn(opened(broker, schema))))
      expect(await versionIn(schema)).toHaveLength(1)
    })

    test('planted bug: without the lock they are made twice', async () => {
      const schema = freshSchema()
      const keeper = new pg.Client({ connectionString: broker.url })
      await keeper.connect()
      await keeper.query('SELECT pg_advisory_lock(1)')
      // All of them have begun before one goes on: by chance, one could be done before the next has connected.
      const startingTogether = (where: string): Transactions => {
        const { write, ...rest } = withoutLock(where)
        return { ...rest, write: `${write}; SELECT pg_advisory_xact_lock_shared(1)` }
      }
      const made = [1, 2, 3, 4, 5].map(() => opened(broker, schema, startingTogether).read('listSources', undefined))
      const standing = 'SELECT FROM pg_locks WHERE NOT granted'
      await until('all of them have begun', async () => {
        const { rowCount } = await withClient(broker.url, (client) => client.query(standing))
        return rowCount === made.length
      })
      await keeper.end()
      expect((await Promise.allSettled(made)).map(({ status }) => status)).toContain('rejected')
    })

    test('that are too new for this code are refused, and left as they are', async () => {
      const schema = freshSchema()
      await sourceIn(opened(broker, schema))
      await withClient(broker.url, (client) => client.query(`UPDATE ${schema}.vault_version SET version = 99, oldest = 99`))
      await expect(opened(broker, schema).read('listSources', undefined)).rejects.toMatchObject({ code: 'store-newer' })
      expect(await versionIn(schema)).toEqual([{ version: 99 }])
    })

    test('are not made beside those of another program', async () => {
      const schema = freshSchema()
      await withClient(broker.url, (client) => client.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.orders (id int)`))
      await expect(sourceIn(opened(broker, schema))).rejects.toMatchObject({ code: 'bad-option' })
    })
  })

  describe('who has a vault', () => {
    const silent = (): void => {}
    const inServer = (sql: string) => withClient(broker.url, (client) => client.query(sql))
    const cutOff = () => inServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${lineName}'`)

    test('has it alone; the next one has it when the first is gone', async () => {
      const schema = freshSchema()
      const { release } = await opened(broker, schema).hold(silent)
      const next = opened(broker, schema)
      await expect(next.hold(silent)).rejects.toMatchObject({ code: 'conflict' })
      await release()
      await (await next.hold(silent)).release()
    })

    test('and was killed is waited for, until its lease has ended', async () => {
      const schema = freshSchema()
      const vault = opened(broker, schema)
      await sourceIn(vault)
      const lease =
        "INSERT INTO control_plane (id, token, expires_at) VALUES (1, 'gone', clock_timestamp() + interval '3 seconds')"
      await inServer(`SET search_path TO ${schema}; ${lease}`)
      await (await vault.hold(silent)).release()
    })

    test('and whose connection was cut goes on, where nobody has taken its place', async () => {
      const schema = freshSchema()
      const vault = opened(broker, schema)
      let isLost = false
      const { release } = await vault.hold(() => {
        isLost = true
      })
      onTestFinished(release)
      await cutOff()
      await sourceIn(vault)
      const endsAt = async () => (await inServer(`SELECT expires_at::text FROM ${schema}.control_plane`)).rows[0].expires_at
      const before = await endsAt()
      await until('it is renewed', async () => (await endsAt()) !== before)
      await sourceIn(vault, 'dlq.more')
      expect(isLost).toBe(false)
    })

    /** The lease of the first one ends unnoticed, and another one has it; then the first one writes. */
    async function takenOver(beginnings?: (schema: string) => Transactions): Promise<Promise<unknown>> {
      const schema = freshSchema()
      const first = opened(broker, schema, beginnings)
      const lost = Promise.withResolvers<void>()
      onTestFinished((await first.hold(() => lost.resolve())).release)
      await inServer(`UPDATE ${schema}.control_plane SET token = 'of another one'`)
      await lost.promise
      return Promise.allSettled([sourceIn(first, 'dlq.late')])
    }

    test('and is replaced can write nothing, and is told', async () => {
      expect(await takenOver()).toMatchObject([{ status: 'rejected', reason: { code: 'conflict' } }])
    })

    test('planted bug: a lease alone would let it write', async () => {
      expect(await takenOver((schema) => transactionsOf(schema))).toMatchObject([{ status: 'fulfilled' }])
    })
  })

  test('texts that PostgreSQL cannot hold or index are kept as they are, and found', async () => {
    const vault = opened(broker, freshSchema())
    const key = `k\u0000\uFDD0${'long'.repeat(50_000)}`
    const header = 'nul \u0000 and half \ud800'
    const message = deadLetter({
      n: 1,
      key,
      correlation: key,
      headers: [
        ['odd', header],
        ['tenant', 'acme'],
      ],
    })
    const [id] = await keep(vault, await sourceIn(vault), [message, deadLetter({ n: 2 })])
    const [found] = await vault.read('traceCorrelation', { correlationId: key, limit: 10 }).then(({ letters }) => letters)
    expect(found).toMatchObject({ id, key, correlationId: key })
    expect((await bare(vault, 'header.tenant:acme')).map((letter) => letter.id)).toEqual([id])
    expect((await bare(vault, 'header.odd:*')).length).toBe(0)
    expect((await bare(vault, '-header.odd:x')).length).toBe(2)
    const { envelope } = await vault.read('readContent', { id: id ?? 0 })
    expect(JSON.parse(envelope)[6][0]).toEqual(['odd', header])
  })

  test.each([
    ['off', 'on'],
    ['remote_apply', 'remote_apply'],
  ])('with synchronous_commit %s, it is %s for who writes', async (given, expected) => {
    const schema = freshSchema()
    await sourceIn(opened(broker, schema))
    await withClient(broker.url, async (client) => {
      await client.query(`SET synchronous_commit = ${given}`)
      await client.query(transactionsOf(schema).write)
      expect((await client.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: expected }])
    })
  })

  test('who reads waits for nobody who writes', async () => {
    const schema = freshSchema()
    const vault = opened(broker, schema)
    await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })])
    await withClient(broker.url, async (client) => {
      await client.query(transactionsOf(schema).write)
      await client.query("UPDATE letters SET state = 'discarded'")
      expect(await bare(vault, 'state:open')).toHaveLength(1)
      await client.query('ROLLBACK')
    })
  })

  test('one that stands still while it writes is ended by the server, and what it did is taken back', async () => {
    const schema = freshSchema()
    const vault = opened(broker, schema)
    const source = await sourceIn(vault)
    const frozen = new pg.Client({ connectionString: broker.url })
    frozen.on('error', () => {})
    await frozen.connect()
    await frozen.query(transactionsOf(schema).write)
    await frozen.query("INSERT INTO sources (connection, channel, part) VALUES ('half', 'done', '')")
    await keep(vault, source, [deadLetter({ n: 1 })])
    await expect(frozen.query('COMMIT')).rejects.toThrow()
    expect(await vault.read('listSources', undefined)).toHaveLength(1)
  })

  // Last, because everybody else needs the server.
  describe('a server that is killed', () => {
    interface Evidence {
      readonly outcomes: readonly string[]
      readonly rows: number
      readonly isAccountedFor: boolean
    }

    /** Three write ten letters at a time until the server is gone; then it is back. `say` is who tells them that their letters are kept. */
    async function killed(say: (writing: Promise<unknown>) => Promise<unknown>): Promise<Evidence> {
      const vault = opened(broker, freshSchema())
      const source = await sourceIn(vault)
      const outcomes: string[] = []
      let [next, isDown] = [0, false]
      async function writeOn(): Promise<void> {
        for (let failed = false; !failed; ) {
          const first = next
          next += 10
          const arrivals = Array.from({ length: 10 }, (_, index) => arrival(deadLetter({ n: first + index })))
          const code = await say(vault.write('ingest', { source, now: noon, arrivals })).then(
            () => 'kept',
            (error) => String(error.code),
          )
          outcomes.push(code)
          failed = code !== 'kept' || outcomes.length > 5000
          if (outcomes.length > 20 && !isDown) {
            isDown = true
            void broker.kill()
          }
        }
      }
      await Promise.all([1, 2, 3].map(writeOn))
      await broker.restart()
      await expect.poll(() => vault.read('listSources', undefined).catch(() => [])).toHaveLength(1)
      const [balance] = await vault.read('balanceSources', undefined)
      const { holds } = await checkConservation(vault, systemClock)
      await keep(vault, source, [deadLetter({ n: 1_000_000 })])
      return { outcomes, rows: balance?.rows ?? 0, isAccountedFor: holds }
    }

    const count = (outcomes: readonly string[], code: string) => outcomes.filter((outcome) => outcome === code).length

    test('loses nothing that was confirmed, keeps nothing by halves, and is found again', async () => {
      const { outcomes, rows, isAccountedFor } = await killed((writing) => writing)
      expect(outcomes.filter((code) => !['kept', 'unsure', 'unreachable'].includes(code))).toEqual([])
      const kept = count(outcomes, 'kept') * 10
      expect(rows).toBeGreaterThanOrEqual(kept)
      expect(rows).toBeLessThanOrEqual(kept + count(outcomes, 'unsure') * 10)
      expect([rows % 10, isAccountedFor]).toEqual([0, true])
    })

    test('planted bug: a vault that confirms before it has written is seen to lose', async () => {
      const { outcomes, rows } = await killed(async (writing) => {
        writing.catch(() => {})
        await new Promise(setImmediate)
      })
      expect(rows).toBeLessThan(count(outcomes, 'kept') * 10)
    })
  })
})
