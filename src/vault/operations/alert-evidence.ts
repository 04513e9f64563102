import type { CauseState } from '../cause-states.ts'
import type { Operation } from '../sql.ts'
import { listOf } from '../sql.ts'
import { membersOf } from './cause-groups.ts'
import { nameColumns, type SourceName } from './sources.ts'

/** Letters that came since somebody last looked, as alerts tell of them: by source, cause and class of error. */
export interface NewLetters {
  /** The last letter there is; what comes after it is for the next look. */
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

/** `after` absent: only where they end, for a first look. */
export const newLetters: Operation<{ readonly after?: number }, NewLetters> = async (sql, { after }) => {
  const row = await sql.get<{ last: number | null }>('SELECT max(id) AS last FROM letters')
  const last = row?.last ?? 0
  if (after === undefined || last <= after) return { last: Math.max(last, after ?? 0), counts: [], correlationIds: [] }
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

/**
 * `since` and `until` are hours since 1970. A cause that stands under another one has nothing unresolved of its own: alerts are about the one that it
 * stands under.
 */
export const causeFacts: Operation<
  { readonly ids?: readonly number[]; readonly fingerprints?: readonly string[]; readonly since: number; readonly until: number },
  readonly CauseFacts[]
> = async (sql, { ids = [], fingerprints = [], since, until }) => {
  const [byId, byName] = [listOf(ids), listOf(fingerprints)]
  return sql.all(
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
