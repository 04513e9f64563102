import pg from 'pg'
import { handleAll, nextTurn, type Outcome } from '../by-hand.ts'
import { letterByHand } from '../letter-by-hand.ts'
import { channels, fails, inHand, type Library, type Task } from '../library.ts'
import { type Order, orderMessage } from '../payload.ts'
import { inPortions } from './in-portions.ts'

interface Row {
  readonly id: string
  readonly attempts: number
  readonly body: Buffer
}

/**
 * What a careful engineer writes on the same library, with the same safety: a lease on the server's clock that is committed before
 * a handler runs, attempts that are counted by it and fence the settlement, and a letter in the transaction that ends its message. A batch
 * is one statement, and the next one is claimed meanwhile. One table, and no index but its key, so that a lease is written in its
 * place. It knows nothing of delays, suspects and keys.
 */
export const library: Library = {
  async fill({ url, prefix: schema, messages }) {
    await withClient(url, async (client) => {
      await client.query(`CREATE SCHEMA ${schema}`)
      await client.query(`
        CREATE TABLE ${schema}.work (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ready_at timestamptz NOT NULL DEFAULT now(),
          attempts integer NOT NULL DEFAULT 0, body bytea NOT NULL
        );
        CREATE TABLE ${schema}.dead (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, failed_at timestamptz NOT NULL DEFAULT now(),
          failure jsonb NOT NULL, attempts integer NOT NULL, origin bigint NOT NULL, body bytea NOT NULL
        )`)
      await inPortions(messages, (orders) =>
        client.query(`INSERT INTO ${schema}.work (body) SELECT unnest($1::bytea[])`, [orders.map(bodyOf)]),
      )
    })
  },

  letters: ({ url, prefix: schema }) =>
    withClient(url, async (client) => {
      const { rows } = await client.query(
        `SELECT (SELECT count(*) FROM ${schema}.work) AS left, (SELECT count(*) FROM ${schema}.dead) AS dead`,
      )
      if (rows[0].left > 0) throw new Error(`${rows[0].left} messages are left.`)
      return Number(rows[0].dead)
    }),

  async consume(task, progress) {
    const [claimer, settler] = [await connected(task.url), await connected(task.url)]
    let isClosed = false
    let settling: Promise<unknown> = Promise.resolve()

    async function read(): Promise<void> {
      let coming = claim(claimer, task)
      while (!isClosed) {
        const rows = await coming
        coming = claim(claimer, task)
        const outcomes = await handleAll(rows, { orderIn, fails: fails(task) }, progress)
        if (rows.length > 0) settling = settling.then(() => settle(settler, rows, outcomes, task))
      }
    }

    const reading = read().catch(() => {})
    return {
      async settled() {
        await nextTurn()
        await settling
      },
      async close() {
        isClosed = true
        await Promise.all([claimer.end(), settler.end()])
        await reading
      },
    }
  },
}

async function claim(client: pg.Client, { prefix: schema }: Task): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>({
    name: 'claim',
    text: `UPDATE ${schema}.work SET ready_at = clock_timestamp() + interval '30 s', attempts = attempts + 1
      WHERE id = ANY (ARRAY(
        SELECT id FROM ${schema}.work WHERE ready_at <= clock_timestamp() ORDER BY id LIMIT ${inHand} FOR UPDATE SKIP LOCKED
      )) RETURNING id, attempts, body`,
  })
  return rows
}

/** A row that failed has a failure, and becomes a letter. */
async function settle(
  client: pg.Client,
  rows: readonly Row[],
  outcomes: readonly Outcome[],
  { prefix: schema }: Task,
): Promise<void> {
  const text = `WITH gone AS (
      DELETE FROM ${schema}.work w USING unnest($1::bigint[], $2::integer[], $3::jsonb[]) AS h (id, attempts, failure)
      WHERE w.id = h.id AND w.attempts = h.attempts RETURNING w.id, w.attempts, w.body, h.failure
    )
    INSERT INTO ${schema}.dead (failure, attempts, origin, body) SELECT failure, attempts, id, body FROM gone WHERE failure IS NOT NULL`
  const failures = rows.map((row, index) => failureOf(row, outcomes[index]))
  await client.query({
    name: 'settle',
    text,
    values: [rows.map(({ id }) => id), rows.map(({ attempts }) => attempts), failures],
  })
}

function failureOf({ id, attempts }: Row, error: Outcome): string | null {
  if (!error) return null
  return JSON.stringify(letterByHand(error, { id, channel: channels.work, position: id, attempts, deliveries: attempts }))
}

function bodyOf(order: number): Buffer {
  return Buffer.from(orderMessage(order).body ?? [])
}

function orderIn({ body }: Row): Order {
  return JSON.parse(String(body))
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await connected(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
