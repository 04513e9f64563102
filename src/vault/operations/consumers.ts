import type { ChannelOrder, ChannelReport, ConsumerReport } from '../../core/consumer-report.ts'
import { consumerState } from '../../core/consumer-state.ts'
import { RedriveError } from '../../core/errors.ts'
import { present } from '../../core/present.ts'
import { covers, type Scopes } from '../../core/scopes.ts'
import type { Operation, Sql } from '../sql.ts'
import { type RecoveredChannel, type Recovery, rememberRecovery } from './recoveries.ts'
import { recordSuccesses } from './successes.ts'

/** A consumer as it was last heard of. */
export interface KnownConsumer {
  readonly id: number
  readonly service: string
  readonly instance: string
  readonly version: string | null
  readonly environment: string
  readonly every: number
  /** When this process was first heard of, and when it was last. */
  readonly since: number
  readonly lastAt: number
  readonly isStopped: boolean
  /** Letters and damaged files that wait on its disk. */
  readonly spooled: number
  readonly forgotten: number
  readonly channels: readonly ChannelReport[]
  /** What whoever reports it was given; absent where code of before has written it. */
  readonly scopes?: Scopes
}

/** What somebody last ordered about a channel, for all consumers of a service. */
export interface GivenOrder extends ChannelOrder {
  readonly service: string
  readonly at: number
  readonly actor: string
}

interface ConsumerRow extends Omit<KnownConsumer, 'isStopped' | 'channels' | 'scopes'> {
  readonly run: string
  readonly number: number
  readonly stopped: number
  readonly channels: string
  readonly scopes: string | null
}

const columns =
  'id, service, instance, run, number, version, environment, every, since, last_at AS "lastAt", stopped, spooled, forgotten, channels, scopes'

function consumerOf({ run: _, number: __, stopped, channels, scopes, ...row }: ConsumerRow): KnownConsumer {
  const given = scopes === null ? undefined : (JSON.parse(scopes) as Scopes)
  return { ...row, isStopped: stopped === 1, channels: JSON.parse(channels) as ChannelReport[], ...present({ scopes: given }) }
}

const orderColumns = 'service, channel, verb AS "order", number, at, actor'

/** Whoever may report could else fill the vault with names. */
const mostConsumers = 10_000
const day = 86_400_000
/** What waits on a disk is never forgotten by itself. */
const keptStopped = day
const keptUnknown = 30 * day

export interface KeptReport {
  readonly orders: readonly ChannelOrder[]
  /** Replays of which letters have succeeded by this report. */
  readonly replays: readonly number[]
  /** Something that people look at is different now. */
  readonly isNews: boolean
  /** Channels whose outage is over, by the word of the process that had it. */
  readonly recovered: readonly Recovery[]
}

/** Takes a report down; it is all the same whether it comes once or twice, or after a newer one. */
export const keepReport: Operation<
  { readonly report: ConsumerReport; readonly scopes: Scopes; readonly now: number },
  KeptReport
> = async (sql, { report, scopes, now }) => {
  const { isNews, recovered: channels } = await keepState(sql, report, scopes, now)
  const recovered: Recovery[] = []
  for (const channel of channels) recovered.push(await rememberRecovery(sql, channel, scopes, now))
  await forgetSilent(sql, now)
  const replays = await recordSuccesses(sql, { successes: report.succeeded, scopes, now })
  const orders = await sql.all<ChannelOrder>(
    'SELECT channel, verb AS "order", number FROM channel_orders WHERE service = ? ORDER BY channel',
    report.service,
  )
  return { orders, replays, isNews, recovered }
}

interface State extends Pick<KeptReport, 'isNews'> {
  readonly recovered: readonly RecoveredChannel[]
}

async function keepState(sql: Sql, report: ConsumerReport, scopes: Scopes, now: number): Promise<State> {
  const { service, instance, run, number } = report
  const found = await sql.get<ConsumerRow>(
    `SELECT ${columns} FROM consumers WHERE service = ? AND instance = ?`,
    service,
    instance,
  )
  const before = found && consumerOf(found)
  if (before) refuseOthers(before, scopes)
  if (found?.run === run && found.number >= number) return { isNews: false, recovered: [] }
  if (!found) await refuseTooMany(sql)
  const { version, environment, every, isLast, forgotten, channels } = report
  const spooled = spooledIn(channels)
  const since = found?.run === run ? found.since : now
  await sql.run(
    `INSERT INTO consumers (service, instance, run, number, version, environment, every, since, last_at, stopped, spooled, forgotten, channels,
       scopes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (service, instance) DO UPDATE SET run = excluded.run, number = excluded.number, version = excluded.version,
       environment = excluded.environment, every = excluded.every, since = excluded.since, last_at = excluded.last_at,
       stopped = excluded.stopped, spooled = excluded.spooled, forgotten = excluded.forgotten, channels = excluded.channels,
       scopes = excluded.scopes`,
    service,
    instance,
    run,
    number,
    version,
    environment,
    every,
    since,
    now,
    Number(isLast),
    spooled,
    forgotten,
    JSON.stringify(channels),
    JSON.stringify(scopes),
  )
  if (!before) return { isNews: true, recovered: [] }
  return {
    isNews: looks(before, now) !== looks({ lastAt: now, every, isStopped: isLast, spooled, channels }, now),
    recovered: found?.run === run ? recoveredSince(before.channels, channels) : [],
  }
}

/**
 * A name is no secret: whoever was given less than who reported it last says nothing about it. Of one that stopped and left nothing behind, nothing is
 * overwritten that anybody would miss.
 */
function refuseOthers({ id, service, instance, scopes, isStopped, spooled }: KnownConsumer, given: Scopes): void {
  if (scopes === undefined || covers(given, scopes) || (isStopped && spooled === 0)) return
  const told = `${instance} of ${service} is reported by somebody with sources that you were not given. If it is yours by now, have consumer ${id} forgotten.`
  throw new RedriveError('not-allowed', told)
}

/** Numbers are whatever somebody reports, and their sum must still be one that the vault can hold. */
function spooledIn(channels: readonly ChannelReport[]): number {
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    channels.reduce((sum, { spooled, spoolAside }) => sum + spooled + spoolAside, 0),
  )
}

/** What people see of a consumer at a glance. */
function looks(consumer: Pick<KnownConsumer, 'lastAt' | 'every' | 'isStopped' | 'spooled' | 'channels'>, now: number): string {
  const channels = consumer.channels.map(({ name, state }) => [name, state])
  return JSON.stringify([consumerState(consumer, now), consumer.spooled > 0, channels])
}

/** A process that was started anew is not asked: it has not tried yet whether what was down works again. */
function recoveredSince(before: readonly ChannelReport[], channels: readonly ChannelReport[]): readonly RecoveredChannel[] {
  const isOver = ({ name, group, state }: ChannelReport): boolean =>
    state !== 'outage' &&
    state !== 'stopped' &&
    before.some((known) => known.name === name && known.group === group && known.state === 'outage')
  return channels.filter(isOver).map(({ name, group, deadLetter }) => ({ name, group, deadLetter }))
}

async function refuseTooMany(sql: Sql): Promise<void> {
  const { consumers = 0 } = (await sql.get<{ consumers: number }>('SELECT count(*) AS consumers FROM consumers')) ?? {}
  if (consumers < mostConsumers) return
  throw new RedriveError('conflict', `There are ${mostConsumers} consumers already. Forget those that do not exist any more.`)
}

async function forgetSilent(sql: Sql, now: number): Promise<void> {
  await sql.run('DELETE FROM consumers WHERE spooled = 0 AND stopped = 1 AND last_at < ?', now - keptStopped)
  await sql.run('DELETE FROM consumers WHERE spooled = 0 AND stopped = 0 AND last_at < ?', now - keptUnknown)
}

export const listConsumers: Operation<
  undefined,
  { readonly consumers: readonly KnownConsumer[]; readonly orders: readonly GivenOrder[] }
> = async (sql) => {
  const rows = await sql.all<ConsumerRow>(`SELECT ${columns} FROM consumers ORDER BY service, instance`)
  const orders = await sql.all<GivenOrder>(`SELECT ${orderColumns} FROM channel_orders ORDER BY service, channel`)
  return { consumers: rows.map(consumerOf), orders }
}

export interface OrderToGive {
  readonly service: string
  readonly channel: string
  readonly order: 'pause' | 'resume'
  readonly actor: string
  readonly now: number
}

/** The same order once more changes nothing: whoever gave it first is still who gave it. */
export const orderChannel: Operation<OrderToGive, { readonly given: GivenOrder; readonly isNew: boolean }> = async (
  sql,
  input,
) => {
  const { service, channel, order, actor, now } = input
  await refuseUnheardOf(sql, service, channel)
  const last = await sql.get<GivenOrder>(
    `SELECT ${orderColumns} FROM channel_orders WHERE service = ? AND channel = ?`,
    service,
    channel,
  )
  if (last?.order === order) return { given: last, isNew: false }
  // By the clock, so that orders which were given before a vault was restored from a copy do not outrank those given since.
  const number = Math.max(now, (last?.number ?? 0) + 1)
  await sql.run(
    `INSERT INTO channel_orders (service, channel, verb, number, at, actor) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (service, channel) DO UPDATE SET verb = excluded.verb, number = excluded.number, at = excluded.at, actor = excluded.actor`,
    service,
    channel,
    order,
    number,
    now,
    actor,
  )
  return { given: { service, channel, order, number, at: now, actor }, isNew: true }
}

async function refuseUnheardOf(sql: Sql, service: string, channel: string): Promise<void> {
  const rows = await sql.all<{ channels: string }>('SELECT channels FROM consumers WHERE service = ?', service)
  const isKnown = rows.some(({ channels }) => (JSON.parse(channels) as ChannelReport[]).some(({ name }) => name === channel))
  if (!isKnown) throw new RedriveError('not-found', `No consumer ${service} has reported a channel ${channel}.`)
}

/** For one that will not come back. One that reports would be back in a moment. */
export const forgetConsumer: Operation<{ readonly id: number; readonly now: number }, KnownConsumer> = async (
  sql,
  { id, now },
) => {
  const row = await sql.get<ConsumerRow>(`SELECT ${columns} FROM consumers WHERE id = ?`, id)
  if (!row) throw new RedriveError('not-found', `There is no consumer ${id}.`)
  const known = consumerOf(row)
  if (consumerState(known, now) === 'reporting') throw new RedriveError('conflict', `Consumer ${id} is reporting.`)
  await sql.run('DELETE FROM consumers WHERE id = ?', id)
  return known
}
