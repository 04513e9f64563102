import type { Arrival } from '../arrival.ts'
import { type CauseState, reopens } from '../cause-states.ts'
import { listOf, type Sql } from '../sql.ts'

const hour = 3_600_000

interface CauseRow {
  readonly id: number
  readonly fingerprint: string
  readonly state: CauseState
  readonly fixed_in: string | null
  readonly worse_than: number | null
  readonly unresolved: number
}

interface Met extends CauseRow {
  letters: number
  /** Those of them that took the place of an unresolved letter of the same cause: they make it no worse. */
  returned: number
  lastAt: number
  firstAt: number
  lastVersion: string | undefined
  regressed: boolean
  readonly hours: Map<number, number>
}

/** The causes of the letters of one batch: found or made once, and written once. */
export interface CauseBook {
  idOf(arrival: Arrival): Promise<number>
  /** A letter of this cause was kept; `isReturn`: in the place of an unresolved one that had been sent back. */
  count(arrival: Arrival, isReturn: boolean): void
  /** Tells which causes were opened again. */
  write(): Promise<readonly number[]>
}

export async function createCauseBook(sql: Sql, arrivals: readonly Arrival[], now: number): Promise<CauseBook> {
  const known = await knownCauses(sql, new Set(arrivals.map(({ cause }) => cause.fingerprint)))
  const met = new Map<string, Met>()

  async function meet({ cause }: Arrival): Promise<Met> {
    const before = met.get(cause.fingerprint)
    if (before) return before
    const { fingerprint, title, parts } = cause
    const row =
      known.get(fingerprint) ?? (await sql.get<CauseRow>(insert, fingerprint, title, JSON.stringify(parts), now, now, now))
    if (!row) throw new Error(`The cause ${fingerprint} could not be written.`)
    const fresh: Met = {
      ...row,
      letters: 0,
      returned: 0,
      lastAt: 0,
      firstAt: Number.MAX_SAFE_INTEGER,
      lastVersion: undefined,
      regressed: false,
      hours: new Map(),
    }
    met.set(fingerprint, fresh)
    return fresh
  }

  return {
    idOf: async (arrival) => (await meet(arrival)).id,
    count({ cause, failedAt, version }, isReturn) {
      const entry = met.get(cause.fingerprint)
      if (!entry) return
      entry.letters++
      if (isReturn) entry.returned++
      if (failedAt >= entry.lastAt) entry.lastVersion = version ?? entry.lastVersion
      entry.lastAt = Math.max(entry.lastAt, failedAt)
      entry.firstAt = Math.min(entry.firstAt, failedAt)
      const started = Math.floor(failedAt / hour)
      entry.hours.set(started, (entry.hours.get(started) ?? 0) + 1)
      entry.regressed ||= reopens(
        {
          state: entry.state,
          fixedIn: entry.fixed_in,
          worseThan: entry.worse_than,
          unresolved: entry.unresolved + entry.letters - entry.returned,
        },
        version,
      )
    },
    async write() {
      const reopened: number[] = []
      for (const entry of met.values()) {
        if (entry.letters === 0) continue
        const { id, letters, firstAt, lastAt, lastVersion } = entry
        await sql.run(update, firstAt, firstAt, lastAt, lastAt, lastAt, lastVersion ?? null, letters, letters, id)
        for (const [started, letters] of entry.hours) await sql.run(addHour, entry.id, started, letters)
        if (!entry.regressed) continue
        await sql.run(reopen, now, now, entry.id)
        reopened.push(entry.id)
      }
      return reopened
    },
  }
}

async function knownCauses(sql: Sql, fingerprints: ReadonlySet<string>): Promise<ReadonlyMap<string, CauseRow>> {
  const { places, values } = listOf([...fingerprints])
  const rows = await sql.all<CauseRow>(`SELECT ${columns} FROM causes WHERE fingerprint IN ${places}`, ...values)
  return new Map(rows.map((row) => [row.fingerprint, row]))
}

const columns = 'id, fingerprint, state, fixed_in, worse_than, unresolved'

const insert = `
  INSERT INTO causes (fingerprint, title, parts, state, state_since, first_at, last_at)
  VALUES (?, ?, ?, 'open', ?, ?, ?) RETURNING ${columns}`

/** Letters may come in any order: a source that was connected yesterday holds those of last month. */
const update = `
  UPDATE causes SET first_at = CASE WHEN total = 0 OR ? < first_at THEN ? ELSE first_at END,
    last_at = CASE WHEN total = 0 OR ? > last_at THEN ? ELSE last_at END,
    last_version = CASE WHEN total = 0 OR ? >= last_at THEN coalesce(?, last_version) ELSE last_version END, total = total + ?,
    unresolved = unresolved + ?
  WHERE id = ?`

const addHour = `
  INSERT INTO cause_hours (cause, hour, letters) VALUES (?, ?, ?)
  ON CONFLICT (cause, hour) DO UPDATE SET letters = cause_hours.letters + excluded.letters`

const reopen = `UPDATE causes SET state = 'open', state_since = ?, regressed_at = ?, worse_than = NULL WHERE id = ?`
