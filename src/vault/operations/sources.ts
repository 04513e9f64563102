import type { CountedState } from '../letter-states.ts'
import type { Operation } from '../sql.ts'

export interface SourceName {
  readonly connection: string
  readonly channel: string
  /** The sub-queue, where a broker has such a thing; else empty. */
  readonly part: string
}

export interface KnownSource extends SourceName {
  readonly id: number
  /** How far a followed source has been read. */
  readonly position: string | null
  readonly deliveries: number
  readonly deduplicated: number
  readonly inserted: number
  readonly letters: Readonly<Partial<Record<CountedState, number>>>
}

type SourceRow = Omit<KnownSource, 'letters'>

/** A source is known from the first time that somebody reads it, and for ever: its letters stay when it leaves the configuration. */
export const registerSource: Operation<SourceName, { readonly id: number; readonly position: string | null }> = async (
  sql,
  { connection, channel, part },
) => {
  await sql.run(
    'INSERT INTO sources (connection, channel, part) VALUES (?, ?, ?) ON CONFLICT (connection, channel, part) DO NOTHING',
    connection,
    channel,
    part,
  )
  const row = await sql.get<{ id: number; position: string | null }>(
    'SELECT id, position FROM sources WHERE connection = ? AND channel = ? AND part = ?',
    connection,
    channel,
    part,
  )
  if (!row) throw new Error(`The source ${channel} could not be written.`)
  return row
}

export const listSources: Operation<undefined, readonly KnownSource[]> = async (sql) => {
  const rows = await sql.all<SourceRow>('SELECT * FROM sources ORDER BY connection, channel, part')
  const tallies = await sql.all<{ source: number; state: CountedState; letters: number }>('SELECT * FROM tallies')
  return rows.map((row) => ({
    ...row,
    letters: Object.fromEntries(tallies.filter(({ source }) => source === row.id).map(({ state, letters }) => [state, letters])),
  }))
}
