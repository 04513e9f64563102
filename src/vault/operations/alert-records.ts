import type { Digest } from '../../core/alerts/digest.ts'
import type { Group } from '../../core/alerts/grouping.ts'
import type { Marks } from '../../core/alerts/mute.ts'
import { isOpen, type RaisedAlert } from '../../core/alerts/raised-alert.ts'
import type { Sample } from '../../core/alerts/sample.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Operation, Sql } from '../sql.ts'
import { keepSamples } from './alert-samples.ts'
import { type NewDelivery, queueDeliveries } from './deliveries.ts'

/** Where the alert engine stands. */
export interface EngineState {
  /** Its own time, and the wall clock's then. */
  readonly at: number
  readonly savedAt: number
  /** The last letter that it has looked at. */
  readonly lastLetter: number
  readonly digests: Readonly<Record<string, Digest>>
}

export interface AlertCommit {
  readonly alerts: readonly { readonly fingerprint: string; readonly alert: RaisedAlert | null }[]
  readonly groups: readonly { readonly key: string; readonly group: Group | null }[]
  readonly deliveries: readonly NewDelivery[]
  readonly samples: readonly Sample[]
  readonly engine: EngineState
}

/** What changed and what is to be said about it, in one transaction: neither is ever there without the other. */
export const commitAlerts: Operation<AlertCommit, undefined> = async (sql, { alerts, groups, deliveries, samples, engine }) => {
  for (const { fingerprint, alert } of alerts) await (alert ? writeAlert(sql, alert) : sql.run(dropAlert, fingerprint))
  for (const { key, group } of groups) await (group ? sql.run(putGroup, key, JSON.stringify(group)) : sql.run(dropGroup, key))
  await queueDeliveries(sql, deliveries, engine.savedAt)
  await keepSamples(sql, samples, engine.savedAt)
  await sql.run(putEngine, engine.at, engine.savedAt, engine.lastLetter, JSON.stringify(engine.digests))
  return undefined
}

async function writeAlert(sql: Sql, alert: RaisedAlert): Promise<void> {
  const { fingerprint, rule, severity, subject, state, changedAt } = alert
  await sql.run(
    putAlert,
    fingerprint,
    rule,
    severity,
    subject.source,
    subject.queue ?? null,
    state.phase,
    state.episode,
    changedAt,
    isOpen(alert) ? 1 : 0,
    JSON.stringify(alert),
  )
}

const putAlert = `
  INSERT INTO alerts (fingerprint, rule, severity, source, queue, phase, episode, changed_at, is_open, record)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (fingerprint) DO UPDATE SET severity = excluded.severity, phase = excluded.phase, episode = excluded.episode,
    changed_at = excluded.changed_at, is_open = excluded.is_open, record = excluded.record`
const dropAlert = 'DELETE FROM alerts WHERE fingerprint = ?'
const putGroup = 'INSERT INTO alert_groups (key, record) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET record = excluded.record'
const dropGroup = 'DELETE FROM alert_groups WHERE key = ?'
const putEngine = `
  INSERT INTO alert_engine (id, at, saved_at, last_letter, record) VALUES (1, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET at = excluded.at, saved_at = excluded.saved_at, last_letter = excluded.last_letter,
    record = excluded.record`

export interface SavedAlerts {
  readonly alerts: readonly RaisedAlert[]
  readonly groups: readonly Group[]
  /** Nothing where no engine ever ran on this vault. */
  readonly engine: EngineState | undefined
}

export const savedAlerts: Operation<undefined, SavedAlerts> = async (sql) => {
  const alerts = await sql.all<{ record: string }>('SELECT record FROM alerts')
  const groups = await sql.all<{ record: string }>('SELECT record FROM alert_groups')
  return {
    alerts: alerts.map(({ record }) => JSON.parse(record) as RaisedAlert),
    groups: groups.map(({ record }) => JSON.parse(record) as Group),
    engine: await engineState(sql, undefined),
  }
}

export const engineState: Operation<undefined, EngineState | undefined> = async (sql) => {
  const row = await sql.get<{ at: number; savedAt: number; lastLetter: number; record: string }>(
    'SELECT at, saved_at AS "savedAt", last_letter AS "lastLetter", record FROM alert_engine',
  )
  if (!row) return undefined
  const { record, ...state } = row
  return { ...state, digests: JSON.parse(record) as EngineState['digests'] }
}

/** An alert with what people said about it. Times of marks are the engine's own. */
export interface KnownAlert {
  readonly alert: RaisedAlert
  readonly marks: Marks | null
}

interface AlertRow {
  readonly record: string
  readonly episode: number | null
  readonly acknowledgedBy: string | null
  readonly acknowledgedUntil: number | null
  readonly snoozedBy: string | null
  readonly snoozedUntil: number | null
}

const columns = `alerts.record, alert_marks.episode, acknowledged_by AS "acknowledgedBy", acknowledged_until AS "acknowledgedUntil",
  snoozed_by AS "snoozedBy", snoozed_until AS "snoozedUntil"`
const known = `FROM alerts LEFT JOIN alert_marks ON alert_marks.fingerprint = alerts.fingerprint`

function knownAlert({ record, ...marks }: AlertRow): KnownAlert {
  return { alert: JSON.parse(record) as RaisedAlert, marks: marksOf(marks) }
}

function marksOf({ episode, ...marks }: Omit<AlertRow, 'record'>): Marks | null {
  if (episode === null) return null
  return { episode, ...Object.fromEntries(Object.entries(marks).filter(([, value]) => value !== null)) }
}

/** `open`: those that are not over, or come and go. The ones that changed last come first. */
export const listAlerts: Operation<{ readonly which: 'open' | 'all'; readonly limit: number }, readonly KnownAlert[]> = async (
  sql,
  { which, limit },
) => {
  const rows = await sql.all<AlertRow>(
    `SELECT ${columns} ${known} WHERE ? = 'all' OR is_open = 1 ORDER BY changed_at DESC, alerts.fingerprint LIMIT ?`,
    which,
    limit,
  )
  return rows.map(knownAlert)
}

export const showAlert: Operation<{ readonly fingerprint: string }, KnownAlert> = async (sql, { fingerprint }) => {
  const row = await sql.get<AlertRow>(`SELECT ${columns} ${known} WHERE alerts.fingerprint = ?`, fingerprint)
  if (!row) throw new RedriveError('not-found', 'There is no such alert.')
  return knownAlert(row)
}
