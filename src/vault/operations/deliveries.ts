import type { Notification } from '../../core/alerts/notification.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Operation, Sql } from '../sql.ts'

/** `waiting` → `sent`, `collapsed` (a later one of its group went instead) or `dead` (nobody tries any more, until somebody asks for it). */
export type DeliveryState = 'waiting' | 'sent' | 'collapsed' | 'dead'

/** One thing that one sink is to be told. */
export interface Delivery {
  readonly id: number
  readonly sink: string
  /** What is waiting for one sink and one group may be told at once, by its latest. */
  readonly groupKey: string
  readonly madeAt: number
  readonly notification: Notification
  readonly state: DeliveryState
  readonly stateSince: number
  /** Tries that failed. */
  readonly attempts: number
  /** Not to be tried before. */
  readonly nextAt: number
  readonly failingSince: number | null
  /** Why the last try failed: no secret, and nothing that the other side answered. */
  readonly problem: string | null
}

type DeliveryRow = Omit<Delivery, 'notification'> & { readonly notification: string }

const columns = `id, sink, group_key AS "groupKey", made_at AS "madeAt", notification, state, state_since AS "stateSince", attempts,
  next_at AS "nextAt", failing_since AS "failingSince", problem`

function deliveryOf(row: DeliveryRow): Delivery {
  return { ...row, notification: JSON.parse(row.notification) as Notification }
}

export interface NewDelivery {
  readonly sink: string
  readonly groupKey: string
  readonly notification: Notification
}

/** A part of the transaction in which the alert changed. The same notification for the same sink is one delivery. */
export async function queueDeliveries(sql: Sql, deliveries: readonly NewDelivery[], now: number): Promise<void> {
  for (const { sink, groupKey, notification } of deliveries) {
    await sql.run(
      `INSERT INTO deliveries (sink, group_key, name, made_at, notification, state, state_since, next_at)
       VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?) ON CONFLICT (sink, name) DO NOTHING`,
      sink,
      groupKey,
      notification.id,
      now,
      JSON.stringify(notification),
      now,
      now,
    )
  }
}

/** What waits for a sink, in the order in which it has to arrive. */
export const waitingDeliveries: Operation<{ readonly sink: string; readonly limit: number }, readonly Delivery[]> = async (
  sql,
  { sink, limit },
) => {
  const rows = await sql.all<DeliveryRow>(
    `SELECT ${columns} FROM deliveries WHERE sink = ? AND state = 'waiting' ORDER BY id LIMIT ?`,
    sink,
    limit,
  )
  return rows.map(deliveryOf)
}

/** The sink has taken it, and with it all that `collapsed` had to say. */
export const deliverySent: Operation<
  { readonly id: number; readonly collapsed: readonly number[]; readonly now: number },
  undefined
> = async (sql, { id, collapsed, now }) => {
  for (const each of collapsed) await sql.run(settle, 'collapsed', now, null, each)
  await sql.run(settle, 'sent', now, null, id)
  return undefined
}

/** It is tried again, not before `nextAt`. */
export const deliveryFailed: Operation<
  { readonly id: number; readonly now: number; readonly nextAt: number; readonly problem: string },
  undefined
> = async (sql, { id, now, nextAt, problem }) => {
  await sql.run(
    `UPDATE deliveries SET attempts = attempts + 1, next_at = ?, problem = ?, failing_since = coalesce(failing_since, ?)
     WHERE id = ? AND state = 'waiting'`,
    nextAt,
    problem,
    now,
    id,
  )
  return undefined
}

/** Nobody tries any more. It stays where people see it, with all that `collapsed` had to say. */
export const deliveryGivenUp: Operation<
  { readonly id: number; readonly collapsed: readonly number[]; readonly now: number; readonly problem: string },
  undefined
> = async (sql, { id, collapsed, now, problem }) => {
  const [oldest = id] = collapsed
  // Tries that failed are noted at the oldest: what is given up has failed since then.
  await sql.run(inheritFailing, oldest, id)
  for (const each of collapsed) await sql.run(settle, 'collapsed', now, null, each)
  await sql.run(settle, 'dead', now, problem, id)
  return undefined
}

const inheritFailing = `
  UPDATE deliveries SET failing_since = (SELECT failing_since FROM deliveries AS oldest WHERE oldest.id = ?) WHERE id = ? AND state = 'waiting'`

const settle = `UPDATE deliveries SET state = ?, state_since = ?, problem = ? WHERE id = ? AND state = 'waiting'`

/** Somebody asks for a dead one once more. It takes its old place in the line, unless what followed it has been told already. */
export const redeliver: Operation<{ readonly id: number; readonly now: number }, Delivery> = async (sql, { id, now }) => {
  const row = await sql.get<DeliveryRow>(`SELECT ${columns} FROM deliveries WHERE id = ?`, id)
  if (!row) throw new RedriveError('not-found', `There is no delivery ${id}.`)
  if (row.state !== 'dead') throw new RedriveError('conflict', `Delivery ${id} is ${row.state}: only a dead one is sent again.`)
  const later = await sql.get(
    `SELECT 1 AS told FROM deliveries WHERE sink = ? AND group_key = ? AND id > ? AND state = 'sent'`,
    row.sink,
    row.groupKey,
    id,
  )
  if (later) throw new RedriveError('conflict', `Delivery ${id} is out of date: ${row.sink} was told what followed it.`)
  await sql.run(
    `UPDATE deliveries SET state = 'waiting', state_since = ?, next_at = ?, attempts = 0, failing_since = NULL WHERE id = ?`,
    now,
    now,
    id,
  )
  return deliveryOf({ ...row, state: 'waiting', stateSince: now, nextAt: now, attempts: 0, failingSince: null })
}

export interface DeliveryQuery {
  readonly state?: DeliveryState
  readonly sink?: string
  readonly limit: number
  readonly before?: number
}

/** The newest first. */
export const listDeliveries: Operation<DeliveryQuery, readonly Delivery[]> = async (sql, { state, sink, limit, before }) => {
  const rows = await sql.all<DeliveryRow>(
    `SELECT ${columns} FROM deliveries WHERE id < ? AND (CAST(? AS TEXT) IS NULL OR state = ?) AND (CAST(? AS TEXT) IS NULL OR sink = ?)
     ORDER BY id DESC LIMIT ?`,
    before ?? Number.MAX_SAFE_INTEGER,
    state ?? null,
    state ?? null,
    sink ?? null,
    sink ?? null,
    limit,
  )
  return rows.map(deliveryOf)
}

export interface SinkHealth {
  readonly sink: string
  readonly waiting: number
  readonly dead: number
  /** Since when the sink has taken nothing: what waits was refused, or the last one was given up. `null` when the last try was taken. */
  readonly failingSince: number | null
}

export const sinkHealth: Operation<undefined, readonly SinkHealth[]> = async (sql) =>
  sql.all(
    `SELECT d.sink, count(*) FILTER (WHERE d.state = 'waiting') AS waiting, count(*) FILTER (WHERE d.state = 'dead') AS dead,
       min(CASE WHEN d.state = 'waiting' THEN d.failing_since
                WHEN d.state_since > coalesce(s.last, 0) THEN coalesce(d.failing_since, d.state_since) END) AS "failingSince"
     FROM deliveries d
     LEFT JOIN (SELECT sink, max(state_since) AS last FROM deliveries WHERE state = 'sent' GROUP BY sink) s ON s.sink = d.sink
     WHERE d.state IN ('waiting', 'dead') GROUP BY d.sink ORDER BY d.sink`,
  )

/** What was told long ago is forgotten; what nobody heard is not. The last that a sink took stays, too: it says that those before it are no failure of now. */
export const forgetDeliveries: Operation<{ readonly before: number }, undefined> = async (sql, { before }) => {
  await sql.run(
    `DELETE FROM deliveries WHERE state_since < ? AND (state = 'collapsed' OR (state = 'sent'
       AND (sink, state_since) NOT IN (SELECT sink, max(state_since) FROM deliveries WHERE state = 'sent' GROUP BY sink)))`,
    before,
  )
  return undefined
}
