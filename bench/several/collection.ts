import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Broker } from '../../scripts/brokers/start.ts'
import { standingStill } from '../../src/vault/postgres/transactions.ts'
import { placeOn, withClient } from '../../test/brokers/redis.ts'
import type { InstanceOrder } from '../../test/several/instance.program.ts'
import { until } from '../../test/until.ts'
import { type MachineTime, machineTime, millisecondsOf, parentOf, timeOfFamily } from '../machine.ts'
import { letterMessage } from '../vault/letters.ts'
import { limitProcessors } from './processor-share.ts'

/** What one collection cost; processor time in milliseconds. */
export interface Collection {
  readonly letters: number
  readonly ms: number
  readonly cpu: { readonly planes: readonly number[]; readonly postgres: number; readonly broker: number }
  /** Shares of the time, from 0 to 1: somebody writes to the vault, and how many wait for that. */
  readonly writing: number
  readonly waiting: number
  /** How many write at the same time, while somebody does. */
  readonly writers: number
  /** Of the time that each of them writes, that in which the server works or waits for its disk; else it waits for the control plane that writes. */
  readonly serving: number
  /** Of all processors, by anybody. */
  readonly busy: number
}

export interface Stage {
  readonly vault: Broker
  readonly broker: Broker
  readonly sources: number
  readonly letters: number
  /** Of a processor, for each control plane; without it, each has what it needs and the machine has. */
  readonly share?: number
}

const program = fileURLToPath(new URL('../../test/several/instance.program.ts', import.meta.url))
const patience = 300_000
/** Milliseconds: looking is work, too. */
const lookEvery = 50
let collections = 0

/**
 * So many control planes on a vault of their own share the sources, whose queues are empty. Nobody can write while letters come to the queues; then
 * everybody can. What each has in its hands by then it has read already: up to 500 letters of each source, however many control planes there are.
 */
export async function collectWith(planes: number, stage: Stage): Promise<Collection> {
  const { vault, broker, sources, letters } = stage
  const schema = `several_${process.pid}_${++collections}`
  const place = placeOn(broker)
  const channels = Array.from({ length: sources }, (_, n) => `dlq.${n}`)
  await place.provision(...channels.map((name) => ({ address: { name }, role: 'dead-letter' as const })))
  const yaml = `
vault: "${vault.url}?schema=${schema}"
connections:
  shop: { transport: redis, url: "${broker.url}", prefix: "${place.prefix}" }
sources:
${channels.map((name) => `  - { connection: shop, channel: ${name}, mode: collect }`).join('\n')}
`
  const server = new pg.Client({ connectionString: vault.url })
  await server.connect()
  const crew: Crew = []
  try {
    for (let n = 0; n < planes; n++) crew.push(await startPlane({ yaml, folder: '.', plants: [] }))
    await until('the sources are shared out', () => areSharedOut(server, schema, planes, sources), patience)
    const fill = () => send(place, channels, letters)
    const release = await whileNobodyWrites(vault.url, schema, fill)
    const unlimited = stage.share === undefined ? () => {} : limitProcessors(pidsOf(crew), stage.share)
    return await measured(server, schema, release, { crew, broker, letters }).finally(unlimited)
  } finally {
    await Promise.all(crew.map(stopPlane))
    await server.end()
    await withClient(broker.url, (client) => client.flushall())
  }
}

type Crew = ChildProcess[]

function pidsOf(crew: Crew): readonly number[] {
  return crew.map(({ pid }) => pid ?? 0)
}

async function startPlane(order: InstanceOrder): Promise<ChildProcess> {
  const child = fork(program, [JSON.stringify(order)], { execArgv: [] })
  await Promise.race([once(child, 'message'), once(child, 'exit').then(() => Promise.reject(new Error('It ended.')))])
  return child
}

async function stopPlane(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.send('stop')
  await ended
}

async function areSharedOut(server: pg.Client, schema: string, planes: number, sources: number): Promise<boolean> {
  const { rows } = await server.query<{ held: number }>(
    `SELECT count(*)::int AS held FROM ${schema}.leases WHERE lease LIKE 'share %' AND expires_at > clock_timestamp() GROUP BY name`,
  )
  const counts = rows.map(({ held }) => held)
  return counts.length === planes && counts.reduce((sum, held) => sum + held, 0) === sources && spread(counts) <= 1
}

function spread(counts: readonly number[]): number {
  return Math.max(...counts) - Math.min(...counts)
}

const atOnce = 500

async function send(place: ReturnType<typeof placeOn>, channels: readonly string[], letters: number): Promise<void> {
  const transport = place.open()
  for (let first = 0; first < letters; first += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, letters - first) }, (_, n) => first + n)
    await Promise.all(some.map((n) => transport.send({ name: channels[n % channels.length] ?? '' }, letterMessage(n))))
  }
  await transport.close()
}

/** Gives what lets everybody write. */
async function whileNobodyWrites(url: string, schema: string, work: () => Promise<void>): Promise<() => Promise<void>> {
  const keeper = new pg.Client({ connectionString: url })
  await keeper.connect()
  await keeper.query(standingStill(schema)[0] ?? '')
  await work()
  return () => keeper.end()
}

interface Measuring {
  readonly crew: Crew
  readonly broker: Broker
  readonly letters: number
}

async function measured(
  server: pg.Client,
  schema: string,
  release: () => Promise<void>,
  { crew, broker, letters }: Measuring,
): Promise<Collection> {
  const [{ pid } = { pid: 0 }] = (await server.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows
  const families = [...pidsOf(crew), parentOf(pid), await pidOfRedis(broker)]
  const times = (): readonly number[] => families.map((head) => millisecondsOf(timeOfFamily(head)))
  const [before, machine, startedAt] = [times(), machineTime(), performance.now()]
  await release()
  const looks = [await lookAt(server, schema)]
  while ((looks.at(-1)?.kept ?? 0) < letters) {
    await sleep(lookEvery)
    looks.push(await lookAt(server, schema))
  }
  const ms = performance.now() - startedAt
  const spent = times().map((time, at) => time - (before[at] ?? 0))
  return {
    ...{ letters, ms, busy: busyShare(machine, machineTime()) },
    cpu: { planes: spent.slice(0, crew.length), postgres: spent.at(-2) ?? 0, broker: spent.at(-1) ?? 0 },
    writing: mean(looks.map(({ writers }) => Math.min(writers, 1))),
    waiting: mean(looks.map(({ waiting }) => waiting)),
    writers: mean(looks.map(({ writers }) => writers)) / mean(looks.map(({ writers }) => Math.min(writers, 1))),
    serving: mean(looks.map(({ serving }) => serving)) / mean(looks.map(({ writers }) => writers)),
  }
}

interface Look {
  readonly kept: number
  readonly writers: number
  readonly waiting: number
  readonly serving: number
}

/** The writers' lock is the only advisory lock of two numbers; several may have it in its shared form. */
async function lookAt(server: pg.Client, schema: string): Promise<Look> {
  const { rows } = await server.query<Look>(
    `SELECT (SELECT coalesce(sum(inserted), 0)::int FROM ${schema}.sources) AS kept,
       count(*) FILTER (WHERE granted)::int AS writers, count(*) FILTER (WHERE NOT granted)::int AS waiting,
       count(*) FILTER (WHERE granted AND state = 'active')::int AS serving
     FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND objsubid = 2`,
  )
  return rows[0] ?? { kept: 0, writers: 0, waiting: 0, serving: 0 }
}

async function pidOfRedis({ url }: Broker): Promise<number> {
  const info = await withClient(url, (client) => client.info('server'))
  return Number(/process_id:(\d+)/.exec(info)?.[1])
}

function busyShare(before: MachineTime | undefined, after: MachineTime | undefined): number {
  return before && after ? (after.busy - before.busy) / (after.total - before.total) : Number.NaN
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
