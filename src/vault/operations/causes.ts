import { RedriveError } from '../../core/errors.ts'
import type { CauseParts } from '../../core/fingerprint/fingerprint.ts'
import { type CauseState, causeStates } from '../cause-states.ts'
import { listOf, type Operation, type Sql, type Value } from '../sql.ts'

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
  /** Only causes with letters of these sources. */
  readonly sources?: readonly number[]
  /** Only these. */
  readonly ids?: readonly number[]
}

/** Those with the newest letters first. An index has them so for each state: the first of each hold the first of all. */
export const listCauses: Operation<CauseQuery, readonly KnownCause[]> = async (sql, { state, limit, after, sources, ids }) => {
  const { lastAt, id } = after ?? { lastAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }
  const conditions = [...(sources ? [withLettersOf(sources)] : []), ...(ids ? [amongIds(ids)] : [])]
  const within = conditions.map(({ text }) => ` AND ${text}`).join('')
  const values = conditions.flatMap((condition) => condition.values)
  const newest = `SELECT ${columns} FROM causes WHERE state = ? AND (last_at, id) < (?, ?)${within}
    ORDER BY last_at DESC, id DESC LIMIT ?`
  const rows: CauseRow[] = []
  for (const one of state ? [state] : causeStates) {
    rows.push(...(await sql.all<CauseRow>(newest, one, lastAt, id, ...values, limit)))
  }
  rows.sort((one, other) => other.lastAt - one.lastAt || other.id - one.id)
  return rows.slice(0, limit).map(causeOfRow)
}

function amongIds(ids: readonly number[]): { readonly text: string; readonly values: readonly Value[] } {
  const { places, values } = listOf(ids)
  return { text: `id IN ${places}`, values }
}

/** Letters of a cause are mostly of one source; of one that has very many, so many are looked at. */
const lookedAt = 5000

function withLettersOf(sources: readonly number[]): { readonly text: string; readonly values: readonly Value[] } {
  const { places, values } = listOf(sources)
  const some = `SELECT letters.source FROM letters WHERE letters.cause = causes.id LIMIT ${lookedAt}`
  return { text: `EXISTS (SELECT 1 FROM (${some}) AS few WHERE source IN ${places})`, values }
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

/** The same for many causes at once: lists show a picture beside each. */
export const causeHistories: Operation<
  { readonly causes: readonly number[]; readonly since: number },
  readonly { readonly cause: number; readonly hour: number; readonly letters: number }[]
> = async (sql, { causes, since }) => {
  const { places, values } = listOf(causes)
  const text = `SELECT cause, hour, letters FROM cause_hours WHERE cause IN ${places} AND hour >= ? ORDER BY cause, hour`
  return sql.all(text, ...values, Math.floor(since / 3_600_000))
}

/** Letters of each hour from `since` on, for a small picture. */
export const causeHistory: Operation<
  { readonly id: number; readonly since: number },
  readonly { readonly hour: number; readonly letters: number }[]
> = async (sql, { id, since }) =>
  sql.all('SELECT hour, letters FROM cause_hours WHERE cause = ? AND hour >= ? ORDER BY hour', id, Math.floor(since / 3_600_000))
