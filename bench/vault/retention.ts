import pg from 'pg'
import { startBroker } from '../../scripts/brokers/start.ts'
import { sweep } from '../../src/ops/retention.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { Arrival } from '../../src/vault/arrival.ts'
import { postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { type Estimate, estimate } from '../statistics.ts'
import { firstFailedAt, letter } from './letters.ts'
import { addLetters, makeLetters, models, smallFiller } from './many-letters.ts'
import { bareOn } from './postgres-bare.ts'
import { questions } from './questions.ts'
import { ask, type Waits } from './vault.ts'

export interface RetentionReport {
  readonly letters: number
  readonly removed: number
  readonly seconds: Readonly<Record<'filling' | 'removing' | 'vacuuming' | 'refilling', number>>
  /** Milliseconds. */
  readonly steps: Readonly<Record<'p50' | 'p95' | 'longest', number>>
  /** Letters a second. */
  readonly ingest: Readonly<Record<'before' | 'meanwhile', number>>
  readonly ofBare: Estimate
  readonly answers: Readonly<Record<string, { readonly before: Waits; readonly after: Waits }>>
  /** Milliseconds, of questions that were asked while letters were removed and others came. */
  readonly meanwhile: Readonly<Record<string, Waits>>
  /** The tables with their indexes: full, after removing and vacuuming, and after as many letters have come again. */
  readonly mebibytes: Readonly<Record<'full' | 'removed' | 'refilled', number>>
  readonly deadRows: Readonly<Record<'removed' | 'vacuumed', number>>
}

/** What a server with ten million letters is given. That indexes need no log while they are made saves a third of the filling. */
const settings = [
  'shared_buffers = 1GB',
  'maintenance_work_mem = 1GB',
  'max_wal_size = 8GB',
  ...['wal_level = minimal', 'max_wal_senders = 0'],
]
/** At the pace of a busy vault this takes minutes. */
const mostRemoved = 150_000
const batch = 500
const batches = 40
const askedEach = 100
/** Ids of bare rows, which nobody else counts. */
const farAway = 1_000_000_000_000

/** Fills a vault on PostgreSQL, removes many of its letters while others come and people look, and fills it again. */
export async function retentionBench(letters: number): Promise<RetentionReport> {
  const broker = await startBroker('postgres', { settings })
  const vault = postgresVault({ url: `${broker.url}?schema=vault` })
  const client = new pg.Client({ connectionString: broker.url })
  try {
    await client.connect()
    await client.query('SET search_path TO vault')
    return await measured(letters, vault, client)
  } finally {
    await client.end()
    await vault.close()
    await broker.stop()
  }
}

async function measured(letters: number, vault: Vault, client: pg.Client): Promise<RetentionReport> {
  const { id: source } = await vault.write('registerSource', { connection: 'shop', channel: 'dlq.orders', part: '', group: '' })
  const due = Math.min(Math.round(letters / 10), mostRemoved)
  const filling = await secondsOf(() => makeLetters(vault, client, { source, letters, settled: due * 2 }))
  told('filled', filling)
  const full = await mebibytesOf(client)
  const [before, after]: [Record<string, Waits>, Record<string, Waits>] = [{}, {}]
  await ask(vault, letters, before, askedEach)
  told('asked', before)
  const stream = streamOf(vault, source, letters)
  const alone = await rateOf(stream, batches)
  told('ingested', alone)
  const removal = await removing(vault, stream, { letters, due })
  told('removed', removal)
  const removedRows = await deadRows(client)
  // The server does it by itself when one of twenty rows has changed.
  const vacuuming = await secondsOf(() => client.query('VACUUM letters, contents, letter_text'))
  told('vacuumed', vacuuming)
  const [removedSize, vacuumedRows] = [await mebibytesOf(client), await deadRows(client)]
  await ask(vault, letters, after, askedEach)
  const from = letters * 2
  const like = Math.floor(letters / models / 2) * models
  const refilling = await secondsOf(() => addLetters(client, { from, upTo: from + due - 1, settled: 0, like }))
  const refilled = await mebibytesOf(client)
  told('refilled', refilling)
  return {
    ...{ letters, removed: removal.removed, steps: removal.steps, meanwhile: removal.meanwhile },
    seconds: { filling, removing: removal.seconds, vacuuming, refilling },
    ingest: { before: alone, meanwhile: removal.ingest },
    ofBare: await besideBare(vault, client, source, letters),
    answers: Object.fromEntries(Object.keys(before).map((name) => [name, { before: of(before, name), after: of(after, name) }])),
    mebibytes: { full, removed: removedSize, refilled },
    deadRows: { removed: removedRows, vacuumed: vacuumedRows },
  }
}

interface Stream {
  /** What comes next, made before anybody looks at a clock. */
  prepare(batches: number): readonly Arrival[][]
  keep(arrivals: readonly Arrival[]): Promise<void>
}

function streamOf(vault: Vault, source: number, start: number): Stream {
  let at = start
  function one(): Arrival[] {
    at += batch
    return Array.from({ length: batch }, (_, index) => letter(at - batch + index, smallFiller))
  }
  return {
    prepare: (count) => Array.from({ length: count }, one),
    keep: async (arrivals) => void (await vault.write('ingest', { source, now: arrivals[0]?.failedAt ?? 0, arrivals })),
  }
}

async function rateOf(stream: Stream, count: number): Promise<number> {
  const prepared = stream.prepare(count)
  const seconds = await secondsOf(async () => {
    for (const arrivals of prepared) await stream.keep(arrivals)
  })
  return (count * batch) / seconds
}

interface Removal extends Pick<RetentionReport, 'removed' | 'steps' | 'meanwhile'> {
  readonly seconds: number
  readonly ingest: number
}

/** What people look at all day, and what their processes ask every minute. */
const watched = ['inbox of causes', 'newest open letters', 'filter and page'] as const

async function removing(
  vault: Vault,
  stream: Stream,
  { letters, due }: { readonly letters: number; readonly due: number },
): Promise<Removal> {
  const steps: number[] = []
  const waits: Record<string, number[]> = Object.fromEntries(watched.map((name) => [name, []]))
  const now = firstFailedAt + letters * 1000
  const clock = { ...systemClock, now: () => now }
  let isOver = false
  let came = 0
  let purged = 0
  const work = async (): Promise<void> => {
    const rules = { letters: now - (firstFailedAt + due * 1000) }
    purged = (await sweep(rules, timed(vault, steps), clock)).purged
    isOver = true
  }
  const comeOn = async (): Promise<void> => {
    for (; !isOver; came += batch) await stream.keep(stream.prepare(1)[0] ?? [])
  }
  const look = async (): Promise<void> => {
    for (let turn = 0; !isOver; turn++) {
      const name = watched[turn % watched.length] ?? watched[0]
      const took = await secondsOf(() => questions[name]?.(vault, letters, (below) => (turn * 7919) % below) ?? Promise.resolve())
      waits[name]?.push(took * 1000)
    }
  }
  const seconds = await secondsOf(() => Promise.all([work(), comeOn(), look()]))
  return {
    ...{ removed: purged, seconds, ingest: came / seconds },
    steps: { ...waitsOf(steps), longest: Math.max(...steps) },
    meanwhile: Object.fromEntries(Object.entries(waits).map(([name, took]) => [name, waitsOf(took)])),
  }
}

/** The same vault; how long each write took is added to `steps`. */
function timed(vault: Vault, steps: number[]): Vault {
  return {
    ...vault,
    write: (async (...asked: Parameters<Vault['write']>) => {
      const startedAt = performance.now()
      const answer = await vault.write(...asked)
      steps.push(performance.now() - startedAt)
      return answer
    }) as Vault['write'],
  }
}

/** Into the very same tables, with all that they hold: rows that nobody counts, far away from the others. */
async function besideBare(vault: Vault, client: pg.Client, source: number, letters: number): Promise<Estimate> {
  const bare = bareOn(client, 'like', farAway)
  const [ours, theirs] = [streamOf(vault, source, letters * 4), streamOf(vault, source, letters * 8)]
  const ratios: number[] = []
  for (let block = 0; block < batches / 4; block++) {
    const [our, their] = [ours.prepare(10), theirs.prepare(10)]
    const keep = (): Promise<number> => secondsOf(() => all(our, ours.keep))
    const insert = (): Promise<number> => secondsOf(() => all(their, bare.insert))
    const [one, other] = block % 2 === 0 ? [await keep(), await insert()] : [await insert(), await keep()]
    ratios.push(block % 2 === 0 ? other / one : one / other)
  }
  return estimate(ratios)
}

async function all(batches: readonly Arrival[][], keep: (arrivals: Arrival[]) => Promise<void>): Promise<void> {
  for (const arrivals of batches) await keep(arrivals)
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

async function mebibytesOf(client: pg.Client): Promise<number> {
  const sizes = `SELECT sum(pg_total_relation_size(oid))::float8 / 2 ^ 20 AS size FROM pg_class WHERE relnamespace = 'vault'::regnamespace AND relkind = 'r'`
  return (await client.query<{ size: number }>(sizes)).rows[0]?.size ?? 0
}

async function deadRows(client: pg.Client): Promise<number> {
  const dead = `SELECT sum(n_dead_tup)::float8 AS dead FROM pg_stat_user_tables WHERE relname IN ('letters', 'contents', 'letter_text')`
  return (await client.query<{ dead: number }>(dead)).rows[0]?.dead ?? 0
}

function waitsOf(took: readonly number[]): Waits {
  const sorted = took.toSorted((one, other) => one - other)
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95) }
}

function of(waits: Readonly<Record<string, Waits>>, name: string): Waits {
  return waits[name] ?? { p50: Number.NaN, p95: Number.NaN }
}

/** It takes long, and somebody may end it: what is known by then is worth having. */
function told(what: string, figures: object | number): void {
  console.error(`${new Date().toISOString()} ${what} ${JSON.stringify(figures)}`)
}
