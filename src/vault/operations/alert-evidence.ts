import type { CauseState } from '../cause-states.ts'
import type { Operation, Sql } from '../sql.ts'
import { listOf } from '../sql.ts'
import { membersOf } from './cause-groups.ts'
import { nameColumns, type SourceName } from './sources.ts'

/** Letters that came since somebody last looked, as alerts tell of them: by source, cause and class of error. */
export interface NewLetters {
  /** The last letter that was looked at; what comes after it is for the next look. */
  readonly last: number
  readonly counts: readonly (SourceName & {
    readonly cause: number
    readonly errorType: string | null
    readonly letters: number
  })[]
  /** Of the newest ones, the oldest first. */
  readonly correlationIds: readonly (SourceName & { readonly id: string })[]
}

const mostIds = 200

/** `upTo` is what `settledLetters` told before: so no letter comes late to a range that was looked at. */
export const newLetters: Operation<{ readonly after: number; readonly upTo: number }, NewLetters> = async (
  sql,
  { after, upTo: last },
) => {
  if (last <= after) return { last: after, counts: [], correlationIds: [] }
  const counts = await sql.all<NewLetters['counts'][number]>(
    `SELECT ${nameColumns}, coalesce(causes.shown, causes.id) AS cause, letters.error_type AS "errorType", count(*) AS letters
     FROM letters JOIN sources ON sources.id = letters.source JOIN causes ON causes.id = letters.cause
     WHERE letters.id > ? AND letters.id <= ? GROUP BY sources.id, coalesce(causes.shown, causes.id), letters.error_type`,
    after,
    last,
  )
  const ids = await sql.all<NewLetters['correlationIds'][number]>(
    `SELECT ${nameColumns}, letters.correlation_id AS id
     FROM letters JOIN sources ON sources.id = letters.source
     WHERE letters.id > ? AND letters.id <= ? AND letters.correlation_id IS NOT NULL ORDER BY letters.id DESC LIMIT ?`,
    after,
    last,
    mostIds,
  )
  return { last, counts, correlationIds: ids.toReversed() }
}

export interface CauseFacts {
  readonly id: number
  readonly fingerprint: string
  readonly state: CauseState
  readonly regressedAt: number | null
  readonly total: number
  readonly unresolved: number
  /** Letters of the whole hours from `since` to now, and the first of these hours; nothing where there were none. */
  readonly pastLetters: number
  readonly firstHour: number | null
}

export interface WantedFacts {
  readonly ids?: readonly number[]
  readonly fingerprints?: readonly string[]
  readonly since: number
  readonly until: number
  /** Letters behind this one are left out of `total`: they are for the next look. */
  readonly upTo?: number
}

/**
 * `since` and `until` are hours since 1970. A cause that stands under another one has nothing unresolved of its own: alerts are about the one that it
 * stands under.
 */
export const causeFacts: Operation<WantedFacts, readonly CauseFacts[]> = async (sql, wanted) => {
  const { ids = [], fingerprints = [], since, until, upTo } = wanted
  const [byId, byName] = [listOf(ids), listOf(fingerprints)]
  const facts = await sql.all<CauseFacts>(
    `SELECT id, fingerprint, state, regressed_at AS "regressedAt",
       (SELECT sum(each.total) FROM causes AS each WHERE each.id = causes.id OR each.shown = causes.id) AS total,
       CASE WHEN shown IS NOT NULL THEN 0 ELSE
         (SELECT sum(each.unresolved) FROM causes AS each WHERE each.id = causes.id OR each.shown = causes.id) END AS unresolved,
       coalesce((SELECT sum(letters) FROM cause_hours
         WHERE cause IN (${membersOf('causes.id')}) AND hour >= ? AND hour < ?), 0) AS "pastLetters",
       (SELECT min(hour) FROM cause_hours WHERE cause IN (${membersOf('causes.id')}) AND hour >= ? AND hour < ?) AS "firstHour"
     FROM causes WHERE id IN ${byId.places} OR fingerprint IN ${byName.places}`,
    since,
    until,
    since,
    until,
    ...byId.values,
    ...byName.values,
  )
  if (upTo === undefined) return facts
  const later = await lettersBehind(sql, upTo)
  return facts.map((cause) => ({ ...cause, total: cause.total - (later.get(cause.id) ?? 0) }))
}

async function lettersBehind(sql: Sql, upTo: number): Promise<ReadonlyMap<number, number>> {
  const rows = await sql.all<{ cause: number; letters: number }>(
    `SELECT coalesce(causes.shown, causes.id) AS cause, count(*) AS letters
     FROM letters JOIN causes ON causes.id = letters.cause WHERE letters.id > ? GROUP BY coalesce(causes.shown, causes.id)`,
    upTo,
  )
  return new Map(rows.map(({ cause, letters }) => [cause, letters]))
}

/** When the oldest letter came that is still open, looking from one letter on. */
export const oldestOpen: Operation<
  { readonly source: number; readonly from: number },
  { readonly id: number; readonly receivedAt: number } | undefined
> = async (sql, { source, from }) =>
  sql.get(
    `SELECT id, received_at AS "receivedAt" FROM letters WHERE state = 'open' AND source = ? AND id >= ? ORDER BY id LIMIT 1`,
    source,
    from,
  )
