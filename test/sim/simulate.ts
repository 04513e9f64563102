import type { Clock } from '../../src/core/ports.ts'
import { type VirtualClock, virtualClock } from '../../src/platform/virtual-clock.ts'
import { createFaults } from '../../src/transports/memory/memory.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { createBroker } from './brokers/brokers.ts'
import type { SimBroker } from './brokers/sim-broker.ts'
import { violations } from './checker.ts'
import { countHandOuts } from './hand-outs.ts'
import { type Script, simChannels, writeScript } from './script.ts'
import { type Chance, seededRandom } from './seeded-random.ts'
import { type SimProcess, startProcess } from './sim-process.ts'
import { drawWeather, type Weather } from './weather.ts'

/** A planted bug: the real transport with one mistake, in a process that has a clock of its own and loses it when it dies. */
export type Plant = (transport: Transport, clock: Clock) => Transport

export interface SimResult {
  readonly seed: number
  readonly violations: readonly string[]
  /** What happened, short enough to compare two runs of one seed. */
  readonly trace: string
}

/** After the storm everything must come to an end within this. Virtual milliseconds. */
const healing = 4 * 3_600_000
const look = 1000
/** Nothing happens by chance while it heals; it only takes its time. */
const healingLook = 5000

/**
 * One run of the real runtime on a simulated broker: virtual time, one stream of chance, faults at every call. First a storm,
 * then everything heals and must come to an end; then the checker asks whether a promise was broken.
 */
export async function simulate(seed: number, plant: Plant = (same) => same, tell?: (line: string) => void): Promise<SimResult> {
  const chance = seededRandom(seed)
  const weather = drawWeather(chance)
  const clock = virtualClock()
  const stopTime = clock.flow()
  const broker = createBroker(weather, clock)
  const handOuts = countHandOuts(tell && ((line) => tell(`${clock.monotonic()} ${line}`)))
  const script = writeScript(weather.messages, weather.lanes, clock, chance)
  await provision(broker, weather.lanes)
  const fleet = createFleet({
    broker,
    clock,
    chance,
    weather,
    script,
    plant: (transport, clock) => handOuts.watch(plant(transport, clock)),
  })
  await fleet.fill()
  await storm(weather, clock, chance, broker, script, fleet)
  await heal(clock, broker, fleet)
  stopTime()
  const ending = {
    parts: script.parts,
    runs: script.runs,
    left: await broker.left(simChannels.work),
    deadLetters: await broker.messagesIn(simChannels.deadLetter),
    invalids: await broker.messagesIn(simChannels.invalid),
    original: script.message,
    shocks: fleet.shocks() + (weather.callFaults > 0 ? weather.storm / 1000 : 0),
    handOuts,
    weather,
  }
  const trace = `${clock.monotonic()} ${script.runs.map(({ number, endedAs }) => `${number}${endedAs?.[0] ?? '-'}`).join(' ')}`
  return { seed, violations: violations(ending), trace }
}

interface Fleet {
  /** Starts processes until there are as many as there should be. */
  fill(): Promise<void>
  one(): SimProcess | undefined
  all(): readonly SimProcess[]
  shock(): void
  shocks(): number
}

function createFleet(parts: {
  broker: SimBroker
  clock: VirtualClock
  chance: Chance
  weather: Weather
  script: Script
  plant: Plant
}): Fleet {
  let processes: SimProcess[] = []
  let shocks = 0
  let ids = 0
  const living = (): SimProcess[] => processes.filter(({ alive }) => alive)
  return {
    async fill() {
      processes = living()
      while (processes.length < parts.weather.processes) {
        processes.push(await startProcess({ ...parts, newId: () => `id${++ids}`, died: () => void shocks++ }))
      }
    },
    one: () => living()[parts.chance.between(0, Math.max(0, living().length - 1))],
    all: living,
    shock: () => void shocks++,
    shocks: () => shocks,
  }
}

async function storm(
  weather: Weather,
  clock: VirtualClock,
  chance: Chance,
  broker: SimBroker,
  script: Script,
  fleet: Fleet,
): Promise<void> {
  const restoreGrave = weather.graveDown ? broker.refuse(simChannels.deadLetter) : undefined
  let sent = 0
  for (let elapsed = 0; elapsed < weather.storm; elapsed += look) {
    const share = Math.ceil((weather.messages * (elapsed + look)) / weather.storm)
    for (; sent < Math.min(share, weather.messages); sent++) await broker.put(simChannels.work, script.message(sent))
    await strike(weather, clock, chance, broker, fleet)
    await passed(clock, look)
    await fleet.fill()
  }
  restoreGrave?.()
  for (const process of fleet.all()) process.heal()
}

async function strike(weather: Weather, clock: VirtualClock, chance: Chance, broker: SimBroker, fleet: Fleet): Promise<void> {
  if (chance.happens(weather.crashes)) fleet.one()?.crash()
  if (chance.happens(weather.disconnects)) {
    fleet.shock()
    fleet.one()?.loseConnection()
  }
  if (chance.happens(weather.deploys)) {
    fleet.shock()
    void fleet.one()?.stop()
  }
  if (chance.happens(weather.rebalances)) {
    fleet.shock()
    broker.disturb()
  }
  if (weather.clockJumps && chance.happens(0.1)) clock.jump(chance.between(-7200, 7200) * 1000)
}

async function heal(clock: VirtualClock, broker: SimBroker, fleet: Fleet): Promise<void> {
  const deadline = clock.monotonic() + healing
  while (clock.monotonic() < deadline && (await broker.left(simChannels.work)) > 0) {
    await fleet.fill()
    for (const process of fleet.all()) process.heal()
    await passed(clock, healingLook)
  }
  for (const process of fleet.all()) {
    await process.stop()
  }
}

function passed(clock: VirtualClock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}

async function provision(broker: SimBroker, lanes: boolean): Promise<void> {
  const { work, deadLetter, invalid } = simChannels
  const channels = [
    { address: { name: deadLetter }, role: 'dead-letter' as const },
    { address: { name: invalid }, role: 'invalid' as const },
    { address: { name: work }, role: 'work' as const, deadLetterTo: { name: deadLetter }, lanes },
  ]
  await broker.connect(createFaults()).transport.provision({ channels }, 'apply')
}
