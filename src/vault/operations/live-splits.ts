import { parseSplitRule, type Split, type Splits } from '../../core/cause-routes.ts'
import type { Sql } from '../sql.ts'

/** Everything that was split and not put together again: what is there of it is little, and mostly nothing. */
export async function liveSplits(sql: Sql): Promise<Splits> {
  const rows = await sql.all<{ cause: number; into: number; rule: string }>(
    `SELECT cause, target AS "into", rule FROM cause_decisions WHERE kind = 'split' AND undone_at IS NULL ORDER BY id`,
  )
  const splits: readonly Split[] = rows.map(({ rule, ...between }) => ({ ...between, rule: parseSplitRule(rule) }))
  return Map.groupBy(splits, ({ cause }) => cause)
}
