import { RedriveError } from '../../core/errors.ts'
import type { CauseParts } from '../../core/fingerprint/fingerprint.ts'
import { type CauseState, causeStates } from '../cause-states.ts'
import { listOf, type Operation, type Sql, type Value } from '../sql.ts'
import { type AsSeen, refuseUnseen, standingOfCause } from '../standing.ts'
import { membersOf } from './cause-groups.ts'

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
  /** The cause that it stands under, because somebody said so; all numbers are its own then. */
  readonly mergedInto: number | null
  /** How often somebody said what belongs to it. */
  readonly regrouped: number
}

type CauseRow = Omit<KnownCause, 'parts'> & { readonly parts: string }

/** One of those that stand under a cause, itself included; one that has no letters says nothing about when. */
const each = 'FROM causes AS each WHERE (each.id = causes.id OR each.shown = causes.id)'

/** Of everything that stands under it: what people said about a cause is its own, and numbers are those of all. */
const columns = `id, fingerprint, title, parts, state, state_since AS "stateSince", fixed_in AS "fixedIn",
  regressed_at AS "regressedAt", owner, coalesce((SELECT min(each.first_at) ${each} AND each.total > 0), first_at) AS "firstAt",
  shown_at AS "lastAt", (SELECT each.last_version ${each}
    ORDER BY CASE WHEN each.last_version IS NULL THEN 1 ELSE 0 END, each.last_at DESC, each.id LIMIT 1) AS "lastVersion",
  (SELECT sum(each.total) ${each}) AS total, (SELECT sum(each.unresolved) ${each}) AS unresolved,
  shown AS "mergedInto", regrouped`

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
  const newest = `SELECT ${columns} FROM causes WHERE shown IS NULL AND state = ? AND (shown_at, id) < (?, ?)${within}
    ORDER BY shown_at DESC, id DESC LIMIT ?`
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
  const some = `SELECT letters.source FROM letters WHERE letters.cause IN (${membersOf('causes.id')}) LIMIT ${lookedAt}`
  return { text: `EXISTS (SELECT 1 FROM (${some}) AS few WHERE source IN ${places})`, values }
}

/** Those of these causes that have letters of these sources, of their own or of what stands under them. */
export const causesWithLettersOf: Operation<
  { readonly ids: readonly number[]; readonly sources: readonly number[] },
  readonly number[]
> = async (sql, { ids, sources }) => {
  const [among, within] = [amongIds(ids), withLettersOf(sources)]
  const text = `SELECT id FROM causes WHERE ${among.text} AND ${within.text}`
  return (await sql.all<{ id: number }>(text, ...among.values, ...within.values)).map(({ id }) => id)
}

async function causeById(sql: Sql, id: number): Promise<KnownCause> {
  const row = await sql.get<CauseRow>(`SELECT ${columns} FROM causes WHERE id = ?`, id)
  if (!row) throw new RedriveError('not-found', `There is no cause ${id}.`)
  return causeOfRow(row)
}

/** The cause, unless it is not any more as whoever changes it has seen it. */
export async function causeAsSeen(sql: Sql, id: number, seen: string | undefined): Promise<KnownCause> {
  const cause = await causeById(sql, id)
  refuseUnseen(seen, standingOfCause(cause))
  return cause
}

/** What stands under another cause is judged with that one. */
async function standingCause(sql: Sql, id: number, seen: string | undefined): Promise<KnownCause> {
  const cause = await causeAsSeen(sql, id, seen)
  if (cause.mergedInto === null) return cause
  throw new RedriveError('conflict', `Cause ${id} stands under cause ${cause.mergedInto}: say it about that one.`)
}

export const showCause: Operation<{ readonly id: number }, KnownCause> = (sql, { id }) => causeById(sql, id)

export interface Judgement extends AsSeen {
  readonly id: number
  readonly state: CauseState
  readonly fixedIn?: string
  readonly now: number
}

/** What a person says about a cause. Archived means: until there are more unresolved letters than now. */
export const judgeCause: Operation<Judgement, KnownCause> = async (sql, { id, state, fixedIn, now, seen }) => {
  const { unresolved } = await standingCause(sql, id, seen)
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

export const ownCause: Operation<{ readonly id: number; readonly owner: string | null } & AsSeen, KnownCause> = async (
  sql,
  { id, owner, seen },
) => {
  await standingCause(sql, id, seen)
  await sql.run('UPDATE causes SET owner = ? WHERE id = ?', owner, id)
  return causeById(sql, id)
}

/** Letters of each hour from `since` on, for a small picture beside each of many causes. */
export const causeHistories: Operation<
  { readonly causes: readonly number[]; readonly since: number },
  readonly { readonly cause: number; readonly hour: number; readonly letters: number }[]
> = async (sql, { causes, since }) => {
  const { places, values } = listOf(causes)
  const text = `SELECT under.id AS cause, hour, sum(letters) AS letters FROM causes AS under
      JOIN causes AS each ON each.id = under.id OR each.shown = under.id JOIN cause_hours ON cause_hours.cause = each.id
    WHERE under.id IN ${places} AND hour >= ? GROUP BY under.id, hour ORDER BY under.id, hour`
  return sql.all(text, ...values, Math.floor(since / 3_600_000))
}

/** The same for one. */
export const causeHistory: Operation<
  { readonly id: number; readonly since: number },
  readonly { readonly hour: number; readonly letters: number }[]
> = async (sql, { id, since }) =>
  (await causeHistories(sql, { causes: [id], since })).map(({ hour, letters }) => ({ hour, letters }))
