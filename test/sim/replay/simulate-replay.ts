import { DatabaseSync } from 'node:sqlite'
import { names } from '../../../src/core/dialects/letter-headers.ts'
import { redriveHeaders } from '../../../src/core/letter.ts'
import type { Message } from '../../../src/core/message.ts'
import { arrivalOf } from '../../../src/ops/arrival-of.ts'
import { createControlPlane, type RunningControlPlane } from '../../../src/ops/create-control-plane.ts'
import { type VirtualClock, virtualClock } from '../../../src/platform/virtual-clock.ts'
import type { Transport } from '../../../src/transports/seam.ts'
import type { Vault } from '../../../src/vault/vault.ts'
import { memoryVault } from '../../control/memory-vault.ts'
import { type Chance, seededRandom } from '../seeded-random.ts'
import type { SimResult } from '../simulate.ts'
import { passed } from '../storm.ts'
import { type Mortality, mortal } from './mortal.ts'
import { createPeople, type People } from './people.ts'
import { type ReplayArrival, type ReplayBroker, replayBroker } from './replay-broker.ts'
import { replayViolations } from './replay-checker.ts'
import { drawReplayWeather, type ReplayWeather } from './replay-weather.ts'

/** What a consumer says beside what succeeded. */
const quietReport = {
  ...{
    service: 'orders',
    instance: 'one',
    run: 'first',
    number: 1,
    version: null,
    environment: 'sim',
    every: 5000,
    isLast: false,
  },
  ...{ channels: [], deadLettered: [], forgotten: 0 },
}

/** One mistake of a control plane, in how it uses its vault or its broker, or in the database itself. */
export interface ReplayPlant {
  readonly vault?: (sound: Vault, db: DatabaseSync) => Vault
  readonly transport?: (sound: Transport) => Transport
}

interface World {
  readonly chance: Chance
  readonly clock: VirtualClock
  readonly weather: ReplayWeather
  readonly vault: Vault
  readonly db: DatabaseSync
  readonly broker: ReplayBroker
  readonly people: People
  readonly plant: ReplayPlant
}

/** The control plane and the process that it runs in. */
interface Plane {
  readonly process: Mortality
  readonly plane: RunningControlPlane
}

/**
 * The real control plane on a real vault in memory, with a broker and a consumer that are not: virtual time, one stream of chance, faults at
 * every wait. First a storm, in which it dies again and again and people tell it this and that; then everything heals and must come to an end.
 */
export async function simulateReplay(seed: number, plant: ReplayPlant = {}): Promise<SimResult> {
  const chance = seededRandom(seed)
  const weather = drawReplayWeather(chance)
  const clock = virtualClock()
  const stopTime = clock.flow()
  const db = new DatabaseSync(':memory:')
  const vault = memoryVault(db)
  const { id: source } = await vault.write('registerSource', { connection: 'shop', channel: 'dlq.orders', part: '', group: '' })
  const keep = async (messages: readonly Message[]): Promise<void> => {
    const now = clock.now()
    const found = { channel: 'dlq.orders', deliveredBefore: false, broker: 'completing' } as const
    const arrivals = messages.map((message) => arrivalOf({ message, ...found }, now, new Uint8Array(8)))
    await planted(plant, vault, db).write('ingest', { source, now, arrivals })
  }
  const broker = replayBroker({ clock, chance, weather, onHandled: (arrival, fate) => handled(arrival, fate) })
  const people = createPeople(vault, chance, weather, () => clock.now())
  const world: World = { chance, clock, weather, vault, db, broker, people, plant }

  const early: string[] = []

  async function handled(arrival: ReplayArrival, fate: 'succeeded' | 'failed'): Promise<void> {
    const { number, generation, replay, name } = arrival
    if (await isAssumed(vault, arrival)) early.push(`${name} was assumed to have succeeded before anybody had taken it up`)
    if (fate === 'failed') return keep([deadLetter(weather, number, { generation, replay })])
    if (!weather.reports) return
    const succeeded = [{ replay, letter: name, channel: 'orders', group: null }]
    await vault.write('keepReport', { now: clock.now(), scopes: [], report: { ...quietReport, succeeded } })
  }

  await keep(Array.from({ length: weather.letters }, (_, number) => deadLetter(weather, number)))
  await storm(world)
  await heal(world)
  stopTime()
  const violations = [...early, ...(await replayViolations({ vault, arrivals: broker.arrivals, people, weather }))]
  const story = broker.arrivals.map(
    ({ number, generation, replay, fate }) => `${replay}:${number}.${generation}${fate?.[0] ?? '-'}`,
  )
  db.close()
  return { seed, violations, trace: [clock.monotonic(), ...story].join(' ') }
}

async function isAssumed(vault: Vault, { replay, name, generation }: ReplayArrival): Promise<boolean> {
  const condition = { where: 'letters.letter = ? AND letters.generation = ?', parameters: [name, generation - 1] }
  const [letter] = await vault.read('findLetters', { condition, limit: 1 })
  const lines = letter ? await vault.read('replaysOfLetter', { letter: letter.id }) : []
  return lines.some((line) => line.replay === replay && line.state === 'assumed')
}

/** As our runtime writes it. */
function deadLetter(
  { keys }: ReplayWeather,
  number: number,
  again?: { readonly generation: number; readonly replay: number },
): Message {
  return {
    id: `m${number}`,
    body: Buffer.from(String(number)),
    ...(keys > 0 && { key: `k${number % keys}` }),
    headers: [
      [redriveHeaders.letter, `letter-${number}`],
      [names.reason, 'NonRetryableError'],
      [names.failedAt, new Date(Date.UTC(2029, 0, 1) + number * 1000).toISOString()],
      [redriveHeaders.originChannel, 'orders'],
      ...(again
        ? ([
            [redriveHeaders.generation, String(again.generation)],
            [redriveHeaders.replay, String(again.replay)],
          ] as const)
        : []),
    ],
  }
}

function planted(plant: ReplayPlant, vault: Vault, db: DatabaseSync): Vault {
  return plant.vault?.(vault, db) ?? vault
}

function startPlane({ clock, chance, weather, vault, db, broker, plant }: World): Plane {
  const process = mortal(clock, chance, weather)
  const connection = broker.connect(process)
  const transport = plant.transport?.(connection) ?? connection
  const plane = createControlPlane({
    vault: planted(plant, process.vault(vault), db),
    clock: process.clock,
    // Every letter here has a name already.
    newId: () => 'fresh',
    draw: (bytes) => new Uint8Array(bytes),
    sources: [],
    transportNamed: () => transport,
  })
  plane.start().catch(() => process.die())
  return { process, plane }
}

const look = 1000

async function storm(world: World): Promise<void> {
  const { chance, clock, weather, broker, people } = world
  let living = startPlane(world)
  people.replay(living.plane)
  for (let elapsed = 0; elapsed < weather.storm; elapsed += look) {
    if (chance.happens(weather.crashes)) living.process.die()
    if (chance.happens(weather.outages)) broker.crash()
    await passed(clock, chance.between(1, look))
    if (!living.process.alive) living = startPlane(world)
    if (chance.happens(weather.meddling)) await people.meddle(living.plane)
    if (chance.happens(weather.meddling)) await people.decide()
    if (chance.happens(weather.meddling)) people.replay(living.plane)
  }
  living.process.die()
}

/** After the storm everything must come to an end within this. Virtual milliseconds. */
const healing = 3_600_000

/** What nobody lets go on is cancelled; what is on its way must end. */
async function heal(world: World): Promise<void> {
  const { clock, vault, broker } = world
  broker.heal()
  const last = startPlane(world)
  last.process.heal()
  for (const deadline = clock.monotonic() + healing; clock.monotonic() < deadline; ) {
    await passed(clock, look)
    const replays = await vault.read('listReplays', { limit: 1000 })
    const idle = replays.filter(({ state }) => state === 'paused' || state === 'stopped' || state === 'sealed')
    for (const { id } of idle) await last.plane.replays.cancel(id, { actor: 'ana' })
    const condition = { where: "letters.state IN ('replaying', 'sent')", parameters: [] }
    const underWay = await vault.read('findLetters', { condition, limit: 1 })
    const waiting = broker.arrivals.some(({ fate }) => fate === undefined)
    if (replays.every(({ state }) => state === 'done' || state === 'cancelled') && underWay.length === 0 && !waiting) break
  }
  await last.plane.close()
}
