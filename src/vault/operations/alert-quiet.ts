import type { Matcher } from '../../core/alerts/matcher.ts'
import type { Marks } from '../../core/alerts/mute.ts'
import type { Silence } from '../../core/alerts/silence.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Operation, Sql } from '../sql.ts'

export interface KnownSilence extends Silence {
  readonly id: number
  readonly author: string
  readonly reason: string
  readonly madeAt: number
}

interface SilenceRow extends Omit<KnownSilence, 'matchers' | 'evenProtected'> {
  readonly matchers: string
  readonly evenProtected: number
}

const columns = `id, matchers, author, reason, made_at AS "madeAt", starts, ends, even_protected AS "evenProtected"`

function silenceOf(row: SilenceRow): KnownSilence {
  return { ...row, matchers: JSON.parse(row.matchers) as Matcher[], evenProtected: row.evenProtected === 1 }
}

export const addSilence: Operation<Omit<KnownSilence, 'id'>, KnownSilence> = async (sql, silence) => {
  const row = await sql.get<SilenceRow>(
    `INSERT INTO silences (matchers, author, reason, made_at, starts, ends, even_protected) VALUES (?, ?, ?, ?, ?, ?, ?)
     RETURNING ${columns}`,
    JSON.stringify(silence.matchers),
    silence.author,
    silence.reason,
    silence.madeAt,
    silence.starts,
    silence.ends,
    Number(silence.evenProtected),
  )
  if (!row) throw new Error('The silence could not be written.')
  return silenceOf(row)
}

/** Those that end after a time of the engine, the newest first. */
export const listSilences: Operation<{ readonly endAfter: number }, readonly KnownSilence[]> = async (sql, { endAfter }) => {
  const rows = await sql.all<SilenceRow>(`SELECT ${columns} FROM silences WHERE ends > ? ORDER BY id DESC`, endAfter)
  return rows.map(silenceOf)
}

/** Makes it longer, or ends it. One that has ended stays ended: somebody may have acted on that. */
export const moveSilenceEnd: Operation<
  { readonly id: number; readonly now: number; readonly ends: number },
  KnownSilence
> = async (sql, { id, now, ends }) => {
  const row = await sql.get<SilenceRow>(`SELECT ${columns} FROM silences WHERE id = ?`, id)
  if (!row) throw new RedriveError('not-found', `There is no silence ${id}.`)
  if (row.ends <= now) throw new RedriveError('conflict', `Silence ${id} has ended already.`)
  await sql.run('UPDATE silences SET ends = ? WHERE id = ?', ends, id)
  return silenceOf({ ...row, ends })
}

/** `null` takes it back. */
export interface MarkChange {
  readonly fingerprint: string
  readonly acknowledged?: { readonly by: string; readonly until: number } | null
  readonly snoozed?: { readonly by: string; readonly until: number } | null
}

export const markAlert: Operation<MarkChange, undefined> = async (sql, { fingerprint, acknowledged, snoozed }) => {
  const alert = await sql.get<{ episode: number }>('SELECT episode FROM alerts WHERE fingerprint = ?', fingerprint)
  if (!alert) throw new RedriveError('not-found', 'There is no such alert.')
  await sql.run(
    `INSERT INTO alert_marks (fingerprint, episode) VALUES (?, ?)
     ON CONFLICT (fingerprint) DO UPDATE SET episode = excluded.episode,
       acknowledged_until = CASE WHEN alert_marks.episode = excluded.episode THEN alert_marks.acknowledged_until END`,
    fingerprint,
    alert.episode,
  )
  if (acknowledged !== undefined) await mark(sql, 'acknowledged', fingerprint, acknowledged)
  if (snoozed !== undefined) await mark(sql, 'snoozed', fingerprint, snoozed)
  return undefined
}

async function mark(
  sql: Sql,
  what: 'acknowledged' | 'snoozed',
  fingerprint: string,
  made: { readonly by: string; readonly until: number } | null,
): Promise<void> {
  await sql.run(
    `UPDATE alert_marks SET ${what}_by = ?, ${what}_until = ? WHERE fingerprint = ?`,
    made?.by ?? null,
    made?.until ?? null,
    fingerprint,
  )
}

/** Everything that keeps alerts quiet at a time of the engine. */
export const quietAt: Operation<
  { readonly now: number },
  { readonly silences: readonly KnownSilence[]; readonly marks: readonly (readonly [string, Marks])[] }
> = async (sql, { now }) => {
  const rows = await sql.all<{ fingerprint: string; episode: number; [column: string]: string | number | null }>(
    `SELECT fingerprint, episode, acknowledged_by AS "acknowledgedBy", acknowledged_until AS "acknowledgedUntil",
       snoozed_by AS "snoozedBy", snoozed_until AS "snoozedUntil"
     FROM alert_marks WHERE acknowledged_until > ? OR snoozed_until > ?`,
    now,
    now,
  )
  const marks = rows.map(({ fingerprint, ...own }) => {
    const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null))
    return [fingerprint, given as unknown as Marks] as const
  })
  return { silences: await listSilences(sql, { endAfter: now }), marks }
}
