import type { Client } from 'pg'
import { functions } from '../../src/vault/postgres/schema-words.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { letter, namesItsOrder } from './letters.ts'

/** So many are kept as every letter is; all others are made from these by the server. Whatever repeats in `letters.ts` fits into it. */
export const models = 2000
const madeAtOnce = 100_000

/** Few bytes, so that ten million letters fit on a disk. */
export const smallFiller: string = 'x'.repeat(64)

export interface ManyLetters {
  readonly source: number
  readonly letters: number
  /** Those up to this number are discarded, since they failed; the others are open. */
  readonly settled: number
}

/** A vault with so many letters, as if they had come one second after another. Indexes are made when all are there, which is much quicker. */
export async function makeLetters(vault: Vault, client: Client, { source, letters, settled }: ManyLetters): Promise<void> {
  for (let start = 0; start < models; start += 500) {
    const arrivals = Array.from({ length: 500 }, (_, index) => letter(start + index, smallFiller))
    await vault.write('ingest', { source, now: arrivals[0]?.failedAt ?? 0, arrivals })
  }
  const indexes = await dropIndexes(client)
  await client.query(quickWords)
  await addLetters(client, { from: models + 1, upTo: letters, settled })
  await client.query("UPDATE letters SET state = 'discarded' WHERE id <= $1 AND id <= $2", [models, settled])
  await client.query(functions)
  for (const index of indexes) await client.query(index)
  await countAnew(client)
  await client.query('VACUUM (ANALYZE)')
}

/** Letters with these numbers, those up to `settled` discarded. `like`: the models are those above this number, which is a multiple of theirs. */
export async function addLetters(
  client: Client,
  {
    from,
    upTo,
    settled,
    like = 0,
  }: { readonly from: number; readonly upTo: number; readonly settled: number; readonly like?: number },
): Promise<void> {
  const [moreLetters, moreContents, moreWords] = statementsFor(like)
  for (let start = from; start <= upTo; start += madeAtOnce) {
    const end = Math.min(start + madeAtOnce - 1, upTo)
    await client.query(moreLetters, [start, end, settled])
    await client.query(moreContents, [start, end])
    await client.query(moreWords, [start, end])
  }
  await client.query("SELECT setval(pg_get_serial_sequence('letters', 'id'), (SELECT max(id) FROM letters))")
}

/** What would have been counted, had they come one by one. */
async function countAnew(client: Client): Promise<void> {
  for (const statement of counts) await client.query(statement)
}

/** All but those that keep a row from being there twice; what makes them again. */
async function dropIndexes(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; made: string }>(
    `SELECT indexname AS name, indexdef AS made FROM pg_indexes
     WHERE schemaname = current_schema() AND tablename IN ('letters', 'letter_text') AND indexdef NOT LIKE 'CREATE UNIQUE%'`,
  )
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  return rows.map(({ made }) => made)
}

/** The words of these texts, found by the server's own parser: the function of the vault takes several times as long. */
const quickWords = `
  CREATE OR REPLACE FUNCTION words_of(words text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT strip(to_tsvector('simple'::regconfig, words))
  $$`

const model = `generate_series($1::bigint, $2::bigint) AS made (id) JOIN`
const isNamed = `(made.id - 1) % ${namesItsOrder} = 0`
const named = (column: string): string =>
  `CASE WHEN ${isNamed} THEN regexp_replace(${column}, 'order [0-9]+', 'order ' || (made.id - 1)) ELSE ${column} END`
const later = (column: string): string => `${column} + (made.id - model.id) * 1000`

const copied =
  'broker, cause, channel, dialect, confidence, reason, error_type, type, service, version, generation, attempts, bytes'
function statementsFor(like: number): readonly [string, string, string] {
  const ofModel = `((made.id - 1) % ${models}) + 1 + ${like}`
  const moreLetters = `
    INSERT INTO letters (id, source, identity, state, state_since, failed_at, received_at, error_message, message_id, key, correlation_id, letter,
      ${copied})
    SELECT made.id, model.source, sha256(int8send(made.id)), CASE WHEN made.id <= $3::bigint THEN 'discarded' ELSE 'open' END,
      ${later('model.failed_at')}, ${later('model.failed_at')}, ${later('model.failed_at')}, ${named('model.error_message')},
      'message-' || (made.id - 1), 'customer-' || (made.id - 1) % 50000, 'correlation-' || (made.id - 1), 'letter-' || (made.id - 1),
      ${copied
        .split(', ')
        .map((column) => `model.${column}`)
        .join(', ')}
    FROM ${model} letters AS model ON model.id = ${ofModel}`
  const moreContents = `
    INSERT INTO contents (letter, envelope, body) SELECT made.id, model.envelope, model.body
    FROM ${model} contents AS model ON model.letter = ${ofModel}`
  const moreWords = `
    INSERT INTO letter_text (rowid, failure, headers) SELECT made.id, ${named('model.failure')}, model.headers
    FROM ${model} letter_text AS model ON model.rowid = ${ofModel}`
  return [moreLetters, moreContents, moreWords]
}

const counts = [
  'DELETE FROM letter_blocks',
  `INSERT INTO letter_blocks SELECT id >> 10, source, min(failed_at), max(failed_at) FROM letters GROUP BY id >> 10, source`,
  `DELETE FROM tallies WHERE state <> 'purged'`,
  'INSERT INTO tallies SELECT source, state, count(*) FROM letters GROUP BY source, state',
  'DELETE FROM cause_hours',
  'INSERT INTO cause_hours SELECT cause, failed_at / 3600000, count(*) FROM letters GROUP BY cause, failed_at / 3600000',
  `UPDATE causes SET total = seen.total, unresolved = seen.open, last_at = seen.last, shown_at = seen.last
   FROM (SELECT cause, count(*) AS total, count(*) FILTER (WHERE state = 'open') AS open, max(failed_at) AS last FROM letters GROUP BY cause) AS seen
   WHERE seen.cause = causes.id`,
  `UPDATE sources SET deliveries = seen.letters, inserted = seen.letters FROM (
     SELECT source, sum(letters)::bigint AS letters FROM tallies GROUP BY source) AS seen WHERE seen.source = sources.id`,
]
