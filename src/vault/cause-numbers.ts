import { sideBySide } from './side-by-side.ts'
import type { Row, Sql, Writer } from './sql.ts'

const hour = 3_600_000

interface Dated {
  readonly failedAt: number
  readonly version?: string | null | undefined
}

/** What letters add to the numbers of their cause, or take from them, written once. */
export interface CauseNumbers {
  readonly letters: number
  add(letter: Dated): void
  /** What `addNumbers` writes. */
  rows(cause: number, unresolved: number): { readonly cause: Row; readonly hours: readonly Row[] }
  takeFrom(sql: Sql, cause: number, unresolved: number): Promise<void>
}

/** Numbers of a cause, and how many of its new letters are unresolved. */
export interface Addition {
  readonly cause: number
  readonly numbers: CauseNumbers
  readonly unresolved: number
}

/** Adds to each of these causes, which are different ones, all at once: each statement may be a round trip to a server. */
export async function addNumbers(sql: Writer, additions: readonly Addition[]): Promise<void> {
  const rows = additions.map(({ cause, numbers, unresolved }) => numbers.rows(cause, unresolved))
  if (rows.length === 0) return
  await sideBySide(
    sql.runEach(
      sql.dialect.addToCause,
      rows.map(({ cause }) => cause),
    ),
    sql.runEach(
      addHour,
      rows.flatMap(({ hours }) => hours),
    ),
  )
}

export function createCauseNumbers(): CauseNumbers {
  const hours = new Map<number, number>()
  let letters = 0
  let firstAt = Number.MAX_SAFE_INTEGER
  let lastAt = 0
  let lastVersion: string | null = null

  return {
    get letters() {
      return letters
    },
    add({ failedAt, version }) {
      letters++
      if (failedAt >= lastAt) lastVersion = version ?? lastVersion
      lastAt = Math.max(lastAt, failedAt)
      firstAt = Math.min(firstAt, failedAt)
      const started = hourOf(failedAt)
      hours.set(started, (hours.get(started) ?? 0) + 1)
    },
    rows: (cause, unresolved) => ({
      cause: [cause, firstAt, lastAt, lastVersion, letters, unresolved],
      hours: [...hours].map(([started, count]) => [cause, started, count]),
    }),
    /** When it was first and last seen is not to be told by what is taken from it: `narrowTimes`. */
    async takeFrom(sql, cause, unresolved) {
      await sql.run('UPDATE causes SET total = total - ?, unresolved = unresolved - ? WHERE id = ?', letters, unresolved, cause)
      for (const [started, count] of hours) await sql.run(addHour, cause, started, -count)
      await sql.run('DELETE FROM cause_hours WHERE cause = ? AND letters <= 0', cause)
    },
  }
}

export function hourOf(at: number): number {
  return Math.floor(at / hour)
}

/** Letters may come in any order: a source that was connected yesterday holds those of last month. */
export function addingToCause(added: Record<'first' | 'last' | 'version' | 'letters' | 'unresolved', string>): string {
  const { first, last, version, letters, unresolved } = added
  return `UPDATE causes SET first_at = CASE WHEN total = 0 OR ${first} < first_at THEN ${first} ELSE first_at END,
    last_at = CASE WHEN total = 0 OR ${last} > last_at THEN ${last} ELSE last_at END,
    shown_at = CASE WHEN total = 0 OR ${last} > shown_at THEN ${last} ELSE shown_at END,
    last_version = CASE WHEN total = 0 OR ${last} >= last_at THEN coalesce(${version}, causes.last_version) ELSE causes.last_version END,
    total = total + ${letters}, unresolved = causes.unresolved + ${unresolved}`
}

const addHour = `
  INSERT INTO cause_hours (cause, hour, letters) VALUES (?, ?, ?)
  ON CONFLICT (cause, hour) DO UPDATE SET letters = cause_hours.letters + excluded.letters`

/** What was seen of the letters that a cause keeps. */
export interface SeenTimes {
  readonly first: number
  readonly last: number
  /** Of the last one that said any. */
  readonly version: string | null
}

/**
 * When a cause was first and last seen, after letters were taken from it. Letters that were purged are still counted by the hour, and so those that are
 * here say it where they are of the first and the last hour; else nobody knows it closer than that.
 */
export async function narrowTimes(sql: Sql, cause: number, kept: SeenTimes | null): Promise<void> {
  const edges = await sql.get<{ first: number | null; last: number | null }>(
    'SELECT min(hour) AS first, max(hour) AS last FROM cause_hours WHERE cause = ?',
    cause,
  )
  const row = await sql.get<{ first_at: number; last_at: number }>('SELECT first_at, last_at FROM causes WHERE id = ?', cause)
  if (!row || !edges || edges.first === null || edges.last === null) return
  const first = kept && hourOf(kept.first) <= edges.first ? kept.first : Math.max(row.first_at, edges.first * hour)
  const last = kept && hourOf(kept.last) >= edges.last ? kept.last : Math.min(row.last_at, (edges.last + 1) * hour - 1)
  await sql.run(
    'UPDATE causes SET first_at = ?, last_at = ?, last_version = coalesce(?, last_version) WHERE id = ?',
    first,
    last,
    kept?.version ?? null,
    cause,
  )
}
