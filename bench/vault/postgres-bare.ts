import pg from 'pg'
import type { Arrival } from '../../src/vault/arrival.ts'
import { postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import { bareValues } from './bare-values.ts'
import type { Bare, BareInsert } from './vault-place.ts'

/**
 * What a careful engineer writes by hand on the same library: a transaction for each batch, and one prepared statement of many rows for each table. Like
 * the one on SQLite, it knows nothing of causes, counts and duplicates.
 */
export async function postgresBare(url: string, what: Bare): Promise<BareInsert> {
  const schema = `bare_${what}`
  if (what === 'like') await makeOurTables(`${url}?schema=${schema}`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  if (what === 'rows') await client.query(`CREATE SCHEMA ${schema}`)
  await client.query(`SET search_path TO ${schema}`)
  if (what === 'rows') await client.query(rowsOnly)
  return bareOn(client, what, 0)
}

/** Into tables that are there, with numbers above `last`. */
export function bareOn(client: pg.Client, what: Bare, last: number): BareInsert {
  const insertEach = (name: string, columns: readonly Column[], rows: readonly Values[]): Promise<unknown> =>
    client.query({
      name,
      text: `INSERT INTO ${name} (${columns.map(([column]) => column).join(', ')})
        SELECT * FROM unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})`,
      values: columns.map((_, index) => rows.map((row) => bytes(row[index] ?? null))),
    })

  return {
    async insert(arrivals) {
      const first = last + 1
      last += arrivals.length
      await client.query('BEGIN')
      await insertEach(
        'letters',
        letterColumns,
        arrivals.map((arrival, index) => [first + index, 1, 'open', ...bareValues(arrival)]),
      )
      await insertEach(
        'contents',
        contentColumns,
        arrivals.map(({ envelope, body }, index) => [first + index, envelope, body]),
      )
      if (what === 'like')
        await insertEach(
          'letter_text',
          wordColumns,
          arrivals.map((each, index) => wordsOf(each, first + index)),
        )
      await client.query('COMMIT')
    },
    close: () => client.end(),
  }
}

type Values = readonly (string | number | null | Uint8Array)[]
type Column = readonly [name: string, type: 'bigint' | 'text' | 'bytea']

const letterColumns: readonly Column[] = [
  ...([
    ['id', 'bigint'],
    ['source', 'bigint'],
    ['state', 'text'],
    ['identity', 'bytea'],
    ['state_since', 'bigint'],
  ] as const),
  ...([
    ['broker', 'text'],
    ['cause', 'bigint'],
    ['channel', 'text'],
    ['dialect', 'text'],
    ['confidence', 'text'],
  ] as const),
  ...([
    ['reason', 'text'],
    ['error_type', 'text'],
    ['error_message', 'text'],
    ['message_id', 'text'],
    ['type', 'text'],
  ] as const),
  ...([
    ['key', 'text'],
    ['correlation_id', 'text'],
    ['service', 'text'],
    ['version', 'text'],
    ['letter', 'text'],
  ] as const),
  ...([
    ['generation', 'bigint'],
    ['attempts', 'bigint'],
    ['failed_at', 'bigint'],
    ['received_at', 'bigint'],
  ] as const),
  ['bytes', 'bigint'],
]
const contentColumns: readonly Column[] = [
  ['letter', 'bigint'],
  ['envelope', 'text'],
  ['body', 'bytea'],
]
const wordColumns: readonly Column[] = [
  ['rowid', 'bigint'],
  ['failure', 'text'],
  ['headers', 'text'],
]

const rowsOnly = `
  CREATE TABLE letters (${letterColumns.map(([name, type]) => `${name} ${type}${name === 'id' ? ' PRIMARY KEY' : ''}`).join(', ')});
  CREATE UNIQUE INDEX by_identity ON letters (source, identity);
  CREATE TABLE contents (letter bigint PRIMARY KEY, envelope text, body bytea)`

function wordsOf({ text }: Arrival, id: number): Values {
  return [id, text.failure, text.headers]
}

/** The library takes bytes for such only in a buffer. */
function bytes(value: Values[number]): string | number | null | Buffer {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
}

async function makeOurTables(url: string): Promise<void> {
  const vault = postgresVault({ url })
  await vault.read('listSources', undefined)
  await vault.close()
}
