import { parseFilter } from '../core/filter/parse-filter.ts'
import type { Condition } from './condition.ts'

/** A filter as a condition on letters. What it means in a database is that database's business. */
export function conditionOf(filter: string, now: number): Condition {
  return { asked: { filter: parseFilter(filter), now }, where: '1 = 1', parameters: [] }
}
