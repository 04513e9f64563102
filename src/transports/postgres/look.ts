import { decodeMessage, parseEnvelope } from '../../core/envelope.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import type { Measure, Page, PageRequest } from '../seam.ts'

/** Bodies that one page brings into memory at most, unless a single one is larger. */
const pageBytes = 32 * 1024 * 1024

interface BrowsedRow {
  readonly id: string
  readonly deliveries: number
  readonly sent_at: number
  readonly envelope: string
  readonly body: Uint8Array | null
}

const sentAt = 'floor(extract(epoch FROM q.sent_at) * 1000)::float8 AS sent_at'

/**
 * The first of channel `$1` behind `$2`, handed out or not: so many of each table, in no order. Of a union the server takes no order from the indexes
 * of its parts, and would read and sort everything that stands there.
 */
const standing = (schema: string, most: string): string => {
  const firstIn = (table: string): string =>
    `(SELECT id, deliveries, sent_at, bytes FROM ${schema}.${table} WHERE channel = $1 AND id > $2 ORDER BY id LIMIT ${most})`
  return `(${firstIn('queue')} UNION ALL ${firstIn('leased')})`
}

/** A page of `$3` messages and `$4` bytes. */
export const pageStatement = (schema: string): string => `
  SELECT q.id, q.deliveries, ${sentAt}, c.envelope, c.body
  FROM (
    SELECT *, sum(bytes) OVER (ORDER BY id) AS total, row_number() OVER (ORDER BY id) AS position
    FROM (${standing(schema, '$3')} ORDER BY id LIMIT $3) AS next
  ) AS q JOIN ${schema}.contents c ON c.id = q.id
  WHERE q.position = 1 OR q.total - q.bytes <= $4 ORDER BY q.id`

export async function browse({ ask }: Connections, schema: string, channel: number, page: PageRequest): Promise<Page> {
  const { limit, after = '0' } = page
  if (!/^\d{1,16}$/.test(after)) throw new RedriveError('bad-option', `"${after}" is not the \`next\` of a page.`)
  const rows = await ask<BrowsedRow>(pageStatement(schema), [channel, after, limit + 1, pageBytes])
  const messages = rows.slice(0, limit).map((row) => ({
    message: decodeMessage(parseEnvelope(row.envelope), row.body),
    position: row.id,
    deliveries: row.deliveries,
    enqueuedAt: row.sent_at,
  }))
  const last = messages.at(-1)
  return (rows.length > limit || (await isMore(ask, schema, channel, last?.position))) && last
    ? { messages, next: last.position }
    : { messages }
}

/** Where the bytes of a page were too many, there is more although fewer came than were asked for. */
async function isMore(ask: Connections['ask'], schema: string, channel: number, after: string | undefined): Promise<boolean> {
  if (after === undefined) return false
  const sql = `SELECT EXISTS (${standing(schema, '1')}) AS more`
  const [row] = await ask<{ more: boolean }>(sql, [channel, after])
  return row?.more ?? false
}

export async function measure({ ask }: Connections, schema: string, channel: number): Promise<Measure> {
  const [row] = await ask<{ retained: string; sent_at: number | null }>(
    `SELECT (SELECT count(*) FROM ${schema}.queue WHERE channel = $1) + (SELECT count(*) FROM ${schema}.leased WHERE channel = $1)
         AS retained,
       (SELECT ${sentAt} FROM (${standing(schema, '1')} ORDER BY id LIMIT 1) AS q)`,
    [channel, 0],
  )
  const retained = Number(row?.retained)
  return { retained, pending: retained, ...(row?.sent_at == null ? {} : { oldestAt: row.sent_at }) }
}

/** Tells whether it was there and nobody held it. */
export async function remove({ ask }: Connections, schema: string, channel: number, position: string): Promise<boolean> {
  if (!/^\d{1,16}$/.test(position)) return false
  const [row] = await ask<{ removed: boolean }>(`SELECT ${schema}.remove($1, $2) AS removed`, [channel, position])
  return row?.removed ?? false
}
