import { type Subject, subjectKey } from '../../core/alerts/identity.ts'
import type { Sample } from '../../core/alerts/sample.ts'
import type { Operation, Sql } from '../sql.ts'

/** A part of the transaction in which the alerts changed. */
export async function keepSamples(sql: Sql, samples: readonly Sample[], takenAt: number): Promise<void> {
  for (const { subject, at, values, counters, failed } of samples) {
    const text = JSON.stringify(failed === undefined ? { subject, values, counters } : { subject, failed })
    await sql.run(put, subjectKey(subject), at, takenAt, text)
  }
}

const put = 'INSERT INTO alert_samples (subject, at, taken_at, sample) VALUES (?, ?, ?, ?) ON CONFLICT (subject, at) DO NOTHING'

/** A look as it was kept. `takenAt` is epoch milliseconds. */
export type KeptSample = Sample & { readonly takenAt: number }

interface SampleRow {
  readonly at: number
  readonly takenAt: number
  readonly sample: string
}

export interface SampleQuery {
  readonly since: number
  readonly subject?: Subject
  readonly limit: number
}

/** Those from a time of the engine on, the oldest first. */
export const listSamples: Operation<SampleQuery, readonly KeptSample[]> = async (sql, { since, subject, limit }) => {
  const rows = await (subject
    ? sql.all<SampleRow>(`${select} WHERE subject = ? AND at >= ? ORDER BY at LIMIT ?`, subjectKey(subject), since, limit)
    : sql.all<SampleRow>(`${select} WHERE at >= ? ORDER BY at, subject LIMIT ?`, since, limit))
  return rows.map(keptSample)
}

/** The same, in the same order; where there are more than the limit, the newest of them. */
export const recentSamples: Operation<Omit<SampleQuery, 'subject'>, readonly KeptSample[]> = async (sql, { since, limit }) => {
  const rows = await sql.all<SampleRow>(`${select} WHERE at >= ? ORDER BY at DESC, subject DESC LIMIT ?`, since, limit)
  return rows.toReversed().map(keptSample)
}

function keptSample({ sample, ...times }: SampleRow): KeptSample {
  return { ...(JSON.parse(sample) as Sample), ...times }
}

const select = 'SELECT at, taken_at AS "takenAt", sample FROM alert_samples'

/** Of each subject whose consumers count what they handle, the first look and the last one of each step of time. Steps are of the wall clock. */
export const countedSamples: Operation<{ readonly since: number; readonly step: number }, readonly KeptSample[]> = async (
  sql,
  { since, step },
) => {
  const counting = `alert_samples WHERE at >= ? AND sample LIKE '%"handledTotal":%'`
  const rows = await sql.all<SampleRow>(
    `SELECT kept.at, kept.taken_at AS "takenAt", kept.sample FROM alert_samples AS kept
     JOIN (SELECT subject, max(at) AS at FROM ${counting} GROUP BY subject, CAST(taken_at / ? AS BIGINT)
       UNION SELECT subject, min(at) AS at FROM ${counting} GROUP BY subject) AS wanted
     ON wanted.subject = kept.subject AND wanted.at = kept.at ORDER BY kept.at`,
    since,
    step,
    since,
  )
  return rows.map(keptSample)
}

/** Of one subject, the last look up to each of these times and not longer before it than a step; null where there was none. */
export const lastSamples: Operation<
  { readonly subject: Subject; readonly ends: readonly number[]; readonly step: number },
  readonly (Sample | null)[]
> = async (sql, { subject, ends, step }) => {
  const last = `${select} WHERE subject = ? AND at > ? AND at <= ? ORDER BY at DESC LIMIT 1`
  const looks: (Sample | null)[] = []
  for (const end of ends) {
    const row = await sql.get<SampleRow>(last, subjectKey(subject), end - step, end)
    looks.push(row ? { ...(JSON.parse(row.sample) as Sample), at: row.at } : null)
  }
  return looks
}

export const forgetSamples: Operation<{ readonly before: number }, undefined> = async (sql, { before }) => {
  await sql.run('DELETE FROM alert_samples WHERE at < ?', before)
  return undefined
}
