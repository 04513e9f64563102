import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import type { FaultyWay } from '../../scripts/brokers/toxiproxy.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { mostInFlight } from '../../src/ops/replay/run-replay.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { withClient } from '../brokers/postgres.ts'
import { until } from '../until.ts'
import { deadLetter } from './letters.fixture.ts'

/** The server under the vault, and the way that the control plane takes to it. */
export interface Ground {
  readonly broker: Broker
  readonly way: FaultyWay
}

/** What befalls the server or the way to it, and how that ends. */
export interface Outage {
  begin(ground: Ground): Promise<void>
  end(ground: Ground): Promise<void>
}

export interface OutageStory {
  readonly outage: Outage
  /** When a replay meets it: whenever that is, or when letters were claimed and are about to be sent. */
  readonly inReplay?: 'at any moment' | 'between claim and record'
  /** What stands between the control plane and its vault: planted bugs. */
  readonly plant?: (vault: Vault) => Vault
}

/** What somebody saw who asked the server and the queue, and nobody of ours. */
export interface OutageVerdict {
  /** Of letters that were sent to the dead-letter channel: in the vault not once. */
  readonly notKept: number
  readonly keptTwice: number
  readonly isAccountedFor: boolean
  /** Of letters that were replayed: neither sent back nor shown as unknown. */
  readonly notSent: number
  readonly sentTwice: number
  /** Sent, confirmed, and shown as unknown all the same. */
  readonly doubtedInVain: number
  readonly tooManyUnknown: boolean
  /** Whether it was told that somebody else has the vault. */
  readonly isReplaced: boolean
}

export const nothingLost: OutageVerdict = {
  ...{ notKept: 0, keptTwice: 0, isAccountedFor: true },
  ...{ notSent: 0, sentTwice: 0, doubtedInVain: 0, tooManyUnknown: false, isReplaced: false },
}

const letters = 300
const batch = 50
/** So slow that most of them are still to be sent when the server goes. Letters a second. */
const rate = 60
/** A lock that nobody uses any more, a connection that nobody answers on, and pauses after failures, on a busy machine. Milliseconds. */
const recovery = 300_000
const [grave, origin] = ['dlq.orders', 'orders']

let schemas = 0

/** Letters die and are collected, and then are sent back; in the middle of each, the server is lost and comes back. Nobody helps. */
export async function throughOutages(ground: Ground, story: OutageStory): Promise<OutageVerdict> {
  const { outage, inReplay = 'at any moment', plant = (vault: Vault) => vault } = story
  const schema = `outage_${++schemas}`
  const { vault, failures, isReplaced, whenClaimed } = await heldVault(ground, schema)
  const transport = memory()
  await transport.provision({ channels: [grave, origin].map((name) => ({ address: { name }, role: 'work' as const })) }, 'apply')
  const plane = createControlPlane({
    vault: plant(vault),
    clock: systemClock,
    newId: newUuid,
    draw: randomBytes,
    sources: [{ connection: 'shop', transport, address: { name: grave }, mode: 'collect' }],
    transportNamed: (name) => (name === 'shop' ? transport : undefined),
  })
  onTestFinished(async () => {
    await plane.close()
    await vault.close()
  })
  await plane.start()

  /** Lasts until somebody has met it. */
  async function strike(begin: () => Promise<void>, meanwhile?: () => Promise<unknown>): Promise<void> {
    const met = failures()
    await begin()
    await meanwhile?.()
    await until('a call to the vault has failed', () => failures() > met)
    await outage.end(ground)
  }

  const begin = () => outage.begin(ground)
  const beginInReplay = inReplay === 'at any moment' ? begin : () => whenClaimed(begin)

  const bare = <Row>(sql: string) => asked<Row>(ground.broker, schema, sql)
  await collectThrough((meanwhile) => strike(begin, meanwhile), transport, bare)
  const kept = counted((await bare<{ body: string }>(bodies)).map(({ body }) => body))
  const { holds } = await plane.conservation()
  const { sent, unknown } = await replayThrough(() => strike(beginInReplay), plane, transport, bare)
  const all = Array.from({ length: letters }, (_, n) => bodyOf(n))
  return {
    notKept: all.filter((body) => !kept.has(body)).length,
    keptTwice: [...kept.values()].filter((times) => times > 1).length,
    isAccountedFor: holds,
    notSent: [...kept.keys()].filter((body) => !sent.has(body) && !unknown.has(body)).length,
    sentTwice: [...sent.values()].filter((times) => times > 1).length,
    doubtedInVain: [...unknown].filter((body) => sent.has(body)).length,
    tooManyUnknown: unknown.size > mostInFlight,
    isReplaced: isReplaced(),
  }
}

type Strike = (meanwhile?: () => Promise<unknown>) => Promise<void>
type Bare = <Row>(sql: string) => Promise<readonly Row[]>

const bodyOf = (n: number): string => JSON.stringify({ order: n })
const bodies = "SELECT convert_from(body, 'UTF8') AS body FROM contents"

async function collectThrough(strike: Strike, transport: Transport, bare: Bare): Promise<void> {
  const die = async (from: number, to: number) => {
    for (let n = from; n < to; n++) await transport.send({ name: grave }, deadLetter({ n, channel: origin }))
  }
  await die(0, batch)
  await until('some are kept', async () => (await bare(bodies)).length > 0)
  await strike(() => die(batch, letters))
  await until('the channel is empty', async () => (await transport.measure({ name: grave })).retained === 0, recovery)
}

interface Replayed {
  readonly sent: ReadonlyMap<string, number>
  readonly unknown: ReadonlySet<string>
}

async function replayThrough(strike: Strike, plane: RunningControlPlane, transport: Transport, bare: Bare): Promise<Replayed> {
  const wishes = { name: 'under fire', actor: 'ana', rate, canary: undefined, observe: 3_600_000 }
  const { replay } = await plane.replays.seal({ filter: 'state:open' }, wishes)
  await plane.replays.start(replay.id, { actor: 'ana' })
  const lines = (where: string) =>
    bare<{ body: string }>(`SELECT convert_from(body, 'UTF8') AS body FROM replay_letters
      JOIN contents ON contents.letter = replay_letters.letter WHERE ${where}`)
  await until('some are sent', async () => (await lines("state = 'sent'")).length > 0)
  await strike()
  const isLeft = "state IN ('planned', 'taken', 'claimed')"
  await until('nothing is left to send', async () => (await lines(isLeft)).length === 0, recovery)
  const unknown = (await lines("state = 'unknown'")).map(({ body }) => body)
  return { sent: counted(await takeAll(transport)), unknown: new Set(unknown) }
}

async function takeAll(transport: Transport): Promise<readonly string[]> {
  const receiver = await transport.receive({ name: origin }, { prefetch: 1000, hold: 60_000 })
  const taken: string[] = []
  for (;;) {
    const deliveries = await receiver.take(1000, 100)
    if (deliveries.length === 0) break
    taken.push(...deliveries.map(({ message }) => Buffer.from(message.body ?? []).toString()))
    await Promise.all(deliveries.map((delivery) => transport.settle(delivery, { kind: 'complete' })))
  }
  await receiver.close()
  return taken
}

interface HeldVault {
  readonly vault: Vault
  /** How many calls have failed until now. */
  readonly failures: () => number
  readonly isReplaced: () => boolean
  /** Does something when letters have been claimed, before anybody hears of it. */
  readonly whenClaimed: (work: () => Promise<void>) => Promise<void>
}

/** By way of the proxy, and as `redrive up` has it; less patient, so that a test need not wait for a minute. */
async function heldVault({ broker, way }: Ground, schema: string): Promise<HeldVault> {
  const url = new URL(broker.url)
  url.port = String(way.port)
  const vault = postgresVault({ url: `${url.href}?schema=${schema}`, connectWithin: 5000, answerWithin: 10_000 })
  let [failed, isReplaced] = [0, false]
  const { release } = await vault.hold(() => {
    isReplaced = true
  })
  onTestFinished(release)
  const count = (error: unknown): never => {
    failed++
    throw error
  }
  let waiting: (() => Promise<void>) | undefined
  async function write(name: 'advanceReplay', input: never): Promise<unknown> {
    const answer = await vault.write(name, input).catch(count)
    const work = waiting
    if (name === 'advanceReplay' && answer.claimed.length > 0 && work) {
      waiting = undefined
      await work()
    }
    return answer
  }
  const watched = {
    ...vault,
    write: write as Vault['write'],
    read: ((name: 'showReplay', input: never) => vault.read(name, input).catch(count)) as Vault['read'],
  }
  return {
    ...{ vault: watched, failures: () => failed, isReplaced: () => isReplaced },
    whenClaimed: (work) =>
      new Promise((resolve, reject) => {
        waiting = () => work().then(resolve, reject)
      }),
  }
}

/** Straight to the server. */
async function asked<Row>({ url }: Broker, schema: string, sql: string): Promise<readonly Row[]> {
  return withClient(url, async (client) => {
    await client.query(`SET search_path TO ${schema}`)
    return (await client.query(sql)).rows as Row[]
  })
}

function counted(texts: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1)
  return times
}
