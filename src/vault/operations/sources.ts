import { RedriveError } from '../../core/errors.ts'
import type { CountedState } from '../letter-states.ts'
import type { Operation } from '../sql.ts'

export interface SourceName {
  readonly connection: string
  readonly channel: string
  /** The sub-queue, where a broker has such a thing; else empty. */
  readonly part: string
  /** The consumer group or subscription that it is read as; else empty. */
  readonly group: string
}

export interface NamedSource extends SourceName {
  readonly id: number
}

/** How reading it went, as whoever reads it noted last. */
export interface ReadingNote {
  /** Epoch milliseconds; null where nobody has noted that yet. */
  readonly readAt: number | null
  /** What it has failed with since, null where it goes well, and empty while somebody tries anew after one who failed. */
  readonly problem: string | null
}

export interface KnownSource extends NamedSource, ReadingNote {
  /** How far a followed source has been read. */
  readonly position: string | null
  readonly deliveries: number
  readonly deduplicated: number
  readonly inserted: number
  readonly letters: Readonly<Partial<Record<CountedState, number>>>
}

type SourceRow = Omit<KnownSource, 'letters'>

/** One that an earlier version wrote, and that nobody has read since, is shown without a group. */
export const nameColumns = `sources.connection, sources.channel, sources.part, coalesce(sources.consumer_group, '') AS "group"`
const columns = `sources.id, ${nameColumns}, sources.position, sources.deliveries, sources.deduplicated, sources.inserted,
  sources.read_at AS "readAt", sources.read_problem AS problem`

export function isSameSource(one: SourceName, other: SourceName): boolean {
  return keyOfSource(one) === keyOfSource(other)
}

export function keyOfSource({ connection, channel, part, group }: SourceName): string {
  return JSON.stringify([connection, channel, part, group])
}

type RegisteredSource = Pick<KnownSource, 'id' | 'position' | 'problem'>

/** A source is known from the first time that somebody reads it, and for ever: its letters stay when it leaves the configuration. */
export const registerSource: Operation<SourceName, RegisteredSource> = async (sql, { connection, channel, part, group }) => {
  const name = [connection, channel, part, group]
  await sql.run(takeOver, group, ...name.slice(0, 3), ...name)
  await sql.run(
    'INSERT INTO sources (connection, channel, part, consumer_group) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ...name,
  )
  const row = await sql.get<RegisteredSource>(
    `SELECT id, position, read_problem AS problem FROM sources WHERE ${isNamed}`,
    ...name,
  )
  if (!row) throw new Error(`The source ${channel} could not be written.`)
  return row
}

const isNamed = 'connection = ? AND channel = ? AND part = ? AND consumer_group = ?'
/** What an earlier version wrote belongs to whoever reads it first. */
const takeOver = `UPDATE sources SET consumer_group = ? WHERE connection = ? AND channel = ? AND part = ? AND consumer_group IS NULL
  AND NOT EXISTS (SELECT 1 FROM sources WHERE ${isNamed})`

/** How long the broker keeps a letter of it; `null` where it drops none. What is known already is not written again. */
export const sourceKeeps: Operation<{ readonly id: number; readonly keepsFor: number | null }, undefined> = async (
  sql,
  { id, keepsFor },
) => {
  const known = await sql.get<{ keepsFor: number | null }>('SELECT keeps_for AS "keepsFor" FROM sources WHERE id = ?', id)
  if (known && known.keepsFor !== keepsFor) await sql.run('UPDATE sources SET keeps_for = ? WHERE id = ?', keepsFor, id)
  return undefined
}

/** How reading it goes. Without a time, the one that is known stays. */
export const noteReading: Operation<
  { readonly id: number; readonly readAt?: number; readonly problem: string | null },
  undefined
> = async (sql, { id, readAt = null, problem }) => {
  await sql.lastly((last) =>
    last.run('UPDATE sources SET read_at = coalesce(?, read_at), read_problem = ? WHERE id = ?', readAt, problem, id),
  )
  return undefined
}

/** One source, without its counts. */
export const showSource: Operation<{ readonly id: number }, NamedSource> = async (sql, { id }) => {
  const row = await sql.get<NamedSource>(`SELECT sources.id, ${nameColumns} FROM sources WHERE id = ?`, id)
  if (!row) throw new RedriveError('not-found', `There is no source ${id}.`)
  return row
}

export const listSources: Operation<undefined, readonly KnownSource[]> = async (sql) => {
  const rows = await sql.all<SourceRow>(
    `SELECT ${columns} FROM sources ORDER BY connection, channel, part, coalesce(consumer_group, '')`,
  )
  const tallies = await sql.all<{ source: number; state: CountedState; letters: number }>('SELECT * FROM tallies')
  return rows.map((row) => ({
    ...row,
    letters: Object.fromEntries(tallies.filter(({ source }) => source === row.id).map(({ state, letters }) => [state, letters])),
  }))
}
