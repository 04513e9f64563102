import type { CountedState } from '../letter-states.ts'
import type { Operation } from '../sql.ts'
import { listSources } from './sources.ts'

/** What was counted of one source, each number by itself: they agree unless a letter was lost, invented or counted wrongly. */
export interface SourceBalance {
  readonly id: number
  readonly connection: string
  readonly channel: string
  readonly part: string
  readonly group: string
  /** What the broker handed out or showed. */
  readonly deliveries: number
  /** Of those, what was known already. */
  readonly deduplicated: number
  /** Letters that were kept, from the beginning on. */
  readonly inserted: number
  /** The same as they are counted by state, those that were purged included. */
  readonly tallied: number
  readonly purged: number
  /** Rows that are there. */
  readonly rows: number
}

/** Reads all of it in one moment. Rows are counted in an index, and no letter is looked at. */
export const balanceSources: Operation<undefined, readonly SourceBalance[]> = async (sql) => {
  const rows = await sql.all<{ source: number; letters: number }>(
    'SELECT source, count(*) AS letters FROM letters GROUP BY source',
  )
  const bySource = new Map(rows.map(({ source, letters }) => [source, letters]))
  const known = await listSources(sql, undefined)
  return known.map(({ id, connection, channel, part, group, deliveries, deduplicated, inserted, letters }) => ({
    ...{ id, connection, channel, part, group, deliveries, deduplicated, inserted },
    tallied: sum(letters),
    purged: letters.purged ?? 0,
    rows: bySource.get(id) ?? 0,
  }))
}

function sum(letters: Readonly<Partial<Record<CountedState, number>>>): number {
  return Object.values(letters).reduce((total, count) => total + count, 0)
}
