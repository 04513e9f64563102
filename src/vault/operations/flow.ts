import type { Operation } from '../sql.ts'

export interface HourOfFlow {
  readonly hour: number
  /** Letters that came. */
  readonly arrived: number
  /** Letters that ask for nothing any more: processed, assumed to be, discarded or expired. */
  readonly settled: number
}

const hourLength = 3_600_000

/**
 * What came and what went, hour by hour. What came is counted as it comes; what went is read from an index by state and time, so that the cost is
 * that of the letters which were settled since, and not of all.
 */
export const readFlow: Operation<{ readonly since: number }, readonly HourOfFlow[]> = async (sql, { since }) => {
  const first = Math.floor(since / hourLength)
  const arrived = await sql.all<{ hour: number; letters: number }>(
    'SELECT hour, sum(letters) AS letters FROM cause_hours WHERE hour >= ? GROUP BY hour',
    first,
  )
  const settled = await sql.all<{ hour: number; letters: number }>(
    `SELECT state_since / ${hourLength} AS hour, count(*) AS letters FROM letters
     WHERE state IN ('succeeded', 'assumed', 'discarded', 'expired') AND state_since >= ? GROUP BY 1`,
    first * hourLength,
  )
  const hours = new Map<number, HourOfFlow>()
  const at = (hour: number): HourOfFlow => hours.get(hour) ?? { hour, arrived: 0, settled: 0 }
  for (const { hour, letters } of arrived) hours.set(hour, { ...at(hour), arrived: letters })
  for (const { hour, letters } of settled) hours.set(hour, { ...at(hour), settled: letters })
  return [...hours.values()].toSorted((one, other) => one.hour - other.hour)
}
