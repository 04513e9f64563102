import type pg from 'pg'

/** Rows, and sizes in MiB. */
export interface Sizes {
  readonly rows: number
  /** Rows that nobody sees any more and that have not been cleaned up, as the server estimates them. */
  readonly dead: number
  readonly queue: number
  readonly queueIndexes: number
  readonly contents: number
  readonly contentsIndex: number
}

export interface Sight {
  readonly sizes: Sizes
  /** Pages that the server has looked at since it was started, in its memory or not. */
  readonly pages: number
}

/** What the tables of a queue look like to somebody who knows nothing of Redrive. */
export async function sight(client: pg.Client, schema = 'redrive'): Promise<Sight> {
  await client.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await client.query<Sizes & { readonly pages: number }>(
    `SELECT ((SELECT count(*) FROM ${schema}.queue) + (SELECT count(*) FROM ${schema}.leased))::float8 AS rows,
       (SELECT sum(n_dead_tup) FROM pg_stat_user_tables WHERE schemaname = $1)::float8 AS dead,
       pg_table_size($1 || '.queue') / 1048576.0::float8 AS queue,
       pg_indexes_size($1 || '.queue') / 1048576.0::float8 AS "queueIndexes",
       pg_table_size($1 || '.contents') / 1048576.0::float8 AS contents,
       pg_indexes_size($1 || '.contents') / 1048576.0::float8 AS "contentsIndex",
       (SELECT blks_read + blks_hit FROM pg_stat_database WHERE datname = current_database())::float8 AS pages`,
    [schema],
  )
  const [{ pages = 0, ...sizes } = {} as Sizes & { pages: number }] = rows
  return { sizes, pages }
}
