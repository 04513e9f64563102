import { routeOf } from '../../core/cause-routes.ts'
import { decodeMessage, parseEnvelope } from '../../core/envelope.ts'
import type { Arrival } from '../arrival.ts'
import { addNumbers, type CauseNumbers, createCauseNumbers } from '../cause-numbers.ts'
import { type CauseState, reopens } from '../cause-states.ts'
import { judgedLetter, needHeaders, type SourceNames } from '../judged-letter.ts'
import { sideBySide } from '../side-by-side.ts'
import { listOf, type Sql } from '../sql.ts'
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
  write(): Promise<readonly number[]>
}

export interface Batch {
  readonly source: number
  readonly arrivals: readonly Arrival[]
  readonly now: number
}

export async function createCauseBook(sql: Sql, { source, arrivals, now }: Batch): Promise<CauseBook> {
  const fingerprints = new Set(arrivals.map(({ cause }) => cause.fingerprint))
  const [known, route] = await sideBySide(knownCauses(sql, fingerprints), router(sql, source))
  const byId = new Map([...known.values()].map((row) => [row.id, row]))
  const numbers = new Map<number, CauseNumbers>()
  const heads = new Map<number, Head>()

  async function meet({ cause: { fingerprint, title, parts } }: Arrival): Promise<CauseRow> {
    const before = known.get(fingerprint)
    if (before) return before
    const row = await sql.get<CauseRow>(insert, fingerprint, title, JSON.stringify(parts), now, now, now, now)
    if (!row) throw new Error(`The cause ${fingerprint} could not be written.`)
    known.set(fingerprint, row)
    byId.set(row.id, row)
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
    heads.set(head.id, head)
    return head
  }

  return {
    async idOf(arrival) {
      const { id } = await meet(arrival)
      return route ? route(id, arrival) : id
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
    async write() {
      const additions = [...numbers].map(([cause, own]) => ({ cause, numbers: own, unresolved: own.letters }))
      await addNumbers(sql, additions)
      const met = [...heads.values()].filter(({ letters }) => letters > 0)
      for (const { id, isShared } of met) if (isShared) await refreshSight(sql, id)
      const reopened = met.filter(({ regressed }) => regressed).map(({ id }) => id)
      for (const id of reopened) await sql.run(reopen, now, now, id)
      return reopened
    },
  }
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

async function knownCauses(sql: Sql, fingerprints: ReadonlySet<string>): Promise<Map<string, CauseRow>> {
  const { places, values } = listOf([...fingerprints])
  const rows = await sql.all<CauseRow>(`SELECT ${columns} FROM causes WHERE fingerprint IN ${places}`, ...values)
  return new Map(rows.map((row) => [row.fingerprint, row]))
}

const columns = `id, fingerprint, shown, state, fixed_in, worse_than,
  unresolved + coalesce((SELECT sum(member.unresolved) FROM causes AS member WHERE member.shown = causes.id), 0) AS unresolved,
  (SELECT count(*) FROM causes AS member WHERE member.shown = causes.id) AS "isShared"`

const insert = `
  INSERT INTO causes (fingerprint, title, parts, state, state_since, first_at, last_at, shown_at)
  VALUES (?, ?, ?, 'open', ?, ?, ?, ?)
  RETURNING id, fingerprint, shown, state, fixed_in, worse_than, unresolved, 0 AS "isShared"`

const reopen = `UPDATE causes SET state = 'open', state_since = ?, regressed_at = ?, worse_than = NULL WHERE id = ?`
