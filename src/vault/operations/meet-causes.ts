import { routeOf } from '../../core/cause-routes.ts'
import { decodeMessage, parseEnvelope } from '../../core/envelope.ts'
import { needsToBeAlone } from '../alone.ts'
import type { Arrival } from '../arrival.ts'
import { addNumbers, type CauseNumbers, createCauseNumbers } from '../cause-numbers.ts'
import { type CauseState, reopens } from '../cause-states.ts'
import { judgedLetter, needHeaders, type SourceNames } from '../judged-letter.ts'
import { sideBySide } from '../side-by-side.ts'
import { listOf, type Sql, type Writer } from '../sql.ts'
import { refreshSight } from './cause-groups.ts'
import { liveSplits } from './live-splits.ts'

interface CauseRow {
  readonly id: number
  readonly fingerprint: string
  readonly shown: number | null
  readonly state: CauseState
  readonly fixed_in: string | null
  readonly worse_than: number | null
  /** Of all that stand under it. */
  readonly unresolved: number
  /** Whether others stand under it. */
  readonly isShared: number
}

/** A cause that letters came to be shown under: it is the one that was judged. */
interface Head extends CauseRow {
  letters: number
  /** Those of them that took the place of an unresolved letter of the same cause: they make it no worse. */
  returned: number
  regressed: boolean
}

/** The causes of the letters of one batch: found or made once, and written once. */
export interface CauseBook {
  idOf(arrival: Arrival): Promise<number>
  /** A letter of this cause was kept; `relieved`: the cause of an unresolved one that had been sent back, in whose place it came. */
  count(arrival: Arrival, cause: number, relieved: number | undefined): Promise<void>
  /** Tells which causes were opened again. */
  write(last: Writer): Promise<readonly number[]>
}

export interface Batch {
  readonly source: number
  readonly arrivals: readonly Arrival[]
  readonly now: number
}

export async function createCauseBook(sql: Sql, { source, arrivals, now }: Batch): Promise<CauseBook> {
  const met = new Map(arrivals.map(({ cause }) => [cause.fingerprint, cause]))
  const [known, route] = await sideBySide(knownCauses(sql, [...met.keys()]), router(sql, source))
  const byId = new Map([...known.values()].map((row) => [row.id, row]))
  const numbers = new Map<number, CauseNumbers>()
  const heads = new Map<number, Head>()

  /** All that are new are made when the first of them is met. */
  async function meet({ cause: { fingerprint } }: Arrival): Promise<CauseRow> {
    const before = known.get(fingerprint)
    if (before) return before
    const fresh = [...met.values()].filter((cause) => !known.has(cause.fingerprint))
    for (const row of await makeCauses(sql, fresh, now)) {
      known.set(row.fingerprint, row)
      byId.set(row.id, row)
    }
    const row = known.get(fingerprint)
    if (!row) throw new Error(`The cause ${fingerprint} could not be written.`)
    return row
  }

  async function rowOf(id: number): Promise<CauseRow> {
    const row = byId.get(id) ?? (await sql.get<CauseRow>(`SELECT ${columns} FROM causes WHERE id = ?`, id))
    if (!row) throw new Error(`The cause ${id} is not there.`)
    byId.set(id, row)
    return row
  }

  async function headOf(cause: number): Promise<Head> {
    const { shown, id } = await rowOf(cause)
    const head = heads.get(shown ?? id) ?? { ...(await rowOf(shown ?? id)), letters: 0, returned: 0, regressed: false }
    if (!isJustCounted(head)) needsToBeAlone(sql)
    heads.set(head.id, head)
    return head
  }

  return {
    async idOf(arrival) {
      const { id } = await meet(arrival)
      const cause = route ? route(id, arrival) : id
      // Found before anything is written.
      if (!sql.isAlone) await headOf(cause)
      return cause
    },
    async count(arrival, cause, relieved) {
      const own = numbers.get(cause) ?? createCauseNumbers()
      numbers.set(cause, own)
      own.add(arrival)
      const head = await headOf(cause)
      head.letters++
      if (relieved !== undefined && (await headOf(relieved)) === head) head.returned++
      const { state, fixed_in: fixedIn, worse_than: worseThan } = head
      const unresolved = head.unresolved + head.letters - head.returned
      head.regressed ||= reopens({ state, fixedIn, worseThan, unresolved }, arrival.version)
    },
    async write(last) {
      const additions = [...numbers].map(([cause, own]) => ({ cause, numbers: own, unresolved: own.letters }))
      if (!sql.isAlone) await lockCauses(last, [...numbers.keys()])
      await addNumbers(last, additions)
      const met = [...heads.values()].filter(({ letters }) => letters > 0)
      for (const { id, isShared } of met) if (isShared) await refreshSight(last, id)
      const reopened = met.filter(({ regressed }) => regressed).map(({ id }) => id)
      for (const id of reopened) await last.run(reopen, now, now, id)
      return reopened
    },
  }
}

/** Nothing is judged by how many letters it has, and no other cause shows what comes to it. */
function isJustCounted({ state, shown, isShared }: CauseRow): boolean {
  return (state === 'open' || state === 'acknowledged') && shown === null && !isShared
}

/** Whoever keeps letters beside others locks the causes of all in the order of their numbers, before anything of them: so nobody waits in a ring. */
async function lockCauses(last: Writer, causes: readonly number[]): Promise<void> {
  const rows = causes.toSorted((one, other) => one - other).map((cause) => [cause])
  if (last.dialect.lockCause !== undefined && rows.length > 0) await last.runEach(last.dialect.lockCause, rows)
}

/** Where letters of a fingerprint belong; nothing where nobody ever split a cause. */
async function router(sql: Sql, source: number): Promise<((cause: number, arrival: Arrival) => number) | undefined> {
  const splits = await liveSplits(sql)
  if (splits.size === 0) return undefined
  const names = await sql.get<SourceNames>('SELECT channel, connection FROM sources WHERE id = ?', source)
  const withHeaders = needHeaders(splits)
  return (cause, arrival) => {
    if (!splits.has(cause)) return cause
    const headers = withHeaders ? decodeMessage(parseEnvelope(arrival.envelope), null).headers : []
    return routeOf(cause, splits, judgedLetter(arrival, names ?? { channel: '', connection: '' }, headers))
  }
}

/**
 * Somebody else may make the same ones at this moment, and is waited for. Whoever is not alone makes them in an order that all have, and before it locks any
 * to count in: so nobody waits in a ring.
 */
async function makeCauses(sql: Sql, causes: readonly Arrival['cause'][], now: number): Promise<Iterable<CauseRow>> {
  const inOrder = sql.isAlone ? causes : causes.toSorted((one, other) => (one.fingerprint < other.fingerprint ? -1 : 1))
  const rows = inOrder.map(({ fingerprint, title, parts }) => [fingerprint, title, JSON.stringify(parts), now, now, now, now])
  await sql.runEach(insert, rows)
  return (
    await knownCauses(
      sql,
      causes.map(({ fingerprint }) => fingerprint),
    )
  ).values()
}

async function knownCauses(sql: Sql, fingerprints: readonly string[]): Promise<Map<string, CauseRow>> {
  const { places, values } = listOf(fingerprints)
  const rows = await sql.all<CauseRow>(`SELECT ${columns} FROM causes WHERE fingerprint IN ${places}`, ...values)
  return new Map(rows.map((row) => [row.fingerprint, row]))
}

const columns = `id, fingerprint, shown, state, fixed_in, worse_than,
  unresolved + coalesce((SELECT sum(member.unresolved) FROM causes AS member WHERE member.shown = causes.id), 0) AS unresolved,
  (SELECT count(*) FROM causes AS member WHERE member.shown = causes.id) AS "isShared"`

const insert = `
  INSERT INTO causes (fingerprint, title, parts, state, state_since, first_at, last_at, shown_at)
  VALUES (?, ?, ?, 'open', ?, ?, ?, ?)
  ON CONFLICT (fingerprint) DO NOTHING`

const reopen = `UPDATE causes SET state = 'open', state_since = ?, regressed_at = ?, worse_than = NULL WHERE id = ?`
