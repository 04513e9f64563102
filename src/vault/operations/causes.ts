import { RedriveError } from '../../core/errors.ts'
import type { CauseParts } from '../../core/fingerprint/fingerprint.ts'
import type { CauseState } from '../cause-states.ts'
import type { Operation, Sql } from '../sql.ts'

export interface KnownCause {
  readonly id: number
  readonly fingerprint: string
  readonly title: string
  readonly parts: CauseParts
  readonly state: CauseState
  readonly stateSince: number
  readonly fixedIn: string | null
  readonly regressedAt: number | null
  readonly owner: string | null
  readonly firstAt: number
  readonly lastAt: number
  readonly lastVersion: string | null
  readonly total: number
  readonly unresolved: number
}

type CauseRow = Omit<KnownCause, 'parts'> & { readonly parts: string }

const columns = `id, fingerprint, title, parts, state, state_since AS "stateSince", fixed_in AS "fixedIn",
  regressed_at AS "regressedAt", owner, first_at AS "firstAt", last_at AS "lastAt", last_version AS "lastVersion", total, unresolved`

function causeOfRow(row: CauseRow): KnownCause {
  return { ...row, parts: JSON.parse(row.parts) as CauseParts }
}

export interface CauseQuery {
  readonly state?: CauseState
  readonly limit: number
  /** The cause that the page before ended with. */
  readonly after?: { readonly lastAt: number; readonly id: number }
}

/** Those with the newest letters first. */
export const listCauses: Operation<CauseQuery, readonly KnownCause[]> = async (sql, { state, limit, after }) => {
  const { lastAt, id } = after ?? { lastAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }
  const rows = await sql.all<CauseRow>(
    `SELECT ${columns} FROM causes WHERE (? IS NULL OR state = ?) AND (last_at < ? OR (last_at = ? AND id < ?))
     ORDER BY last_at DESC, id DESC LIMIT ?`,
    state ?? null,
    state ?? null,
    lastAt,
    lastAt,
    id,
    limit,
  )
  return rows.map(causeOfRow)
}

async function causeById(sql: Sql, id: number): Promise<KnownCause> {
  const row = await sql.get<CauseRow>(`SELECT ${columns} FROM causes WHERE id = ?`, id)
  if (!row) throw new RedriveError('not-found', `There is no cause ${id}.`)
  return causeOfRow(row)
}

export const showCause: Operation<{ readonly id: number }, KnownCause> = (sql, { id }) => causeById(sql, id)

export interface Judgement {
  readonly id: number
  readonly state: CauseState
  readonly fixedIn?: string
  readonly now: number
}

/** What a person says about a cause. Archived means: until there are more unresolved letters than now. */
export const judgeCause: Operation<Judgement, KnownCause> = async (sql, { id, state, fixedIn, now }) => {
  const { unresolved } = await causeById(sql, id)
  await sql.run(
    'UPDATE causes SET state = ?, state_since = ?, fixed_in = ?, worse_than = ?, regressed_at = NULL WHERE id = ?',
    state,
    now,
    fixedIn ?? null,
    state === 'archived' ? unresolved : null,
    id,
  )
  return causeById(sql, id)
}

export const ownCause: Operation<{ readonly id: number; readonly owner: string | null }, KnownCause> = async (
  sql,
  { id, owner },
) => {
  await causeById(sql, id)
  await sql.run('UPDATE causes SET owner = ? WHERE id = ?', owner, id)
  return causeById(sql, id)
}

/** Letters of each hour from `since` on, for a small picture. */
export const causeHistory: Operation<
  { readonly id: number; readonly since: number },
  readonly { readonly hour: number; readonly letters: number }[]
> = async (sql, { id, since }) =>
  sql.all('SELECT hour, letters FROM cause_hours WHERE cause = ? AND hour >= ? ORDER BY hour', id, Math.floor(since / 3_600_000))
