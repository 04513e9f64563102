import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { fakeDisk } from '../fake-disk.ts'
import { createBroker } from './brokers/brokers.ts'
import { violations } from './checker.ts'
import { createDropLog } from './drop-log.ts'
import { createFleet } from './fleet.ts'
import { countHandOuts } from './hand-outs.ts'
import { type Plant, planted } from './plant.ts'
import { provision } from './provision.ts'
import { simChannels, writeScript } from './script.ts'
import { seededRandom } from './seeded-random.ts'
import { spoolRoot, type Wrapping } from './sim-process.ts'
import { watchSpools } from './spool-watch.ts'
import { heal, storm, waitingIn } from './storm.ts'
import { drawWeather } from './weather.ts'

export interface SimResult {
  readonly seed: number
  readonly violations: readonly string[]
  /** What happened, short enough to compare two runs of one seed. */
  readonly trace: string
}

/**
 * One run of the real runtime on a simulated broker and disk: virtual time, one stream of chance, faults at every call. First a storm,
 * then everything heals and must come to an end; then the checker asks whether a promise was broken.
 */
export async function simulate(seed: number, plant: Plant = {}, tell?: (line: string) => void): Promise<SimResult> {
  const chance = seededRandom(seed)
  const weather = drawWeather(chance)
  const clock = virtualClock()
  const stopTime = clock.flow()
  const broker = createBroker(weather, clock)
  const disk = fakeDisk(spoolRoot)
  const handOuts = countHandOuts(tell && ((line) => tell(`${clock.monotonic()} ${line}`)))
  const spools = watchSpools(disk.content)
  const dropLog = createDropLog()
  const script = writeScript({ clock, chance, weather, given: handOuts.given })
  await provision(broker, weather.lanes)
  const wrap = (): Wrapping => {
    const { files, transport } = spools.process()
    return planted(plant, { files, transport: (healthy) => transport(handOuts.watch(healthy)) })
  }
  const fleet = createFleet({ broker, disk, clock, chance, weather, script, dropLog, wrap })
  const world = { weather, clock, chance, broker, disk, script, fleet }
  await fleet.fill()
  await storm(world)
  await heal(world)
  stopTime()
  const deadLetters = await broker.messagesIn(simChannels.deadLetter)
  const ending = {
    parts: script.parts,
    runs: script.runs,
    left: await broker.left(simChannels.work),
    deadLetters,
    invalids: await broker.messagesIn(simChannels.invalid),
    original: script.message,
    shocks: fleet.shocks() + (weather.callFaults > 0 ? weather.storm / 1000 : 0),
    handOuts,
    weather,
    isDropped: dropLog.tellsOf,
    spool: {
      waiting: waitingIn(disk),
      aside: disk.paths().filter((path) => path.endsWith('.aside')),
      overtaking: spools.overtaking,
    },
  }
  const runs = script.runs.map(({ number, endedAs }) => `${number}${endedAs?.[0] ?? '-'}`)
  const trace = [clock.monotonic(), ...runs, 'letters', ...deadLetters.map(({ id }) => id)].join(' ')
  return { seed, violations: violations(ending), trace }
}
