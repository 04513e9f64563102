import { PermanentError } from '../../src/core/tagged-errors.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { fakeDisk } from '../fake-disk.ts'
import { createBroker } from './brokers/brokers.ts'
import type { Family } from './brokers/sim-broker.ts'
import { createDropLog } from './drop-log.ts'
import { createFleet } from './fleet.ts'
import { type Plant, planted } from './plant.ts'
import { provision } from './provision.ts'
import { beginCall, type Run, type Script, simChannels } from './script.ts'
import { seededRandom } from './seeded-random.ts'
import { spoolRoot } from './sim-process.ts'
import { watchSpools } from './spool-watch.ts'
import { heal, passed, waitingIn } from './storm.ts'
import type { Weather } from './weather.ts'

/** What observers saw while the dead-letter channel was down under a steady load, and after it came back. */
export interface GraveOutageReport {
  /** Healthy messages whose handlers succeeded, by minute of the outage; and how many were sent in it. */
  readonly completed: readonly number[]
  readonly sent: readonly number[]
  /** Neither handled nor a letter, or still in the channel or the spool. */
  readonly lost: readonly number[]
  readonly overtaken: readonly string[]
}

const second = 1000
const minute = 60 * second
/** A minute of peace, ten without the dead-letter channel, one more of peace. */
const outage = { from: minute, to: 11 * minute }
const load = { end: 12 * minute, perSecond: 2 }
const total = (load.end / second) * load.perSecond
const isBad = (number: number): boolean => number % 10 === 3
const numbers = Array.from({ length: total }, (_, number) => number)

export async function graveDownForTenMinutes(
  family: Family,
  answer: 'hold' | 'spool',
  plant: Plant = {},
): Promise<GraveOutageReport> {
  const weather: Weather = { ...peace, family, answer }
  const clock = virtualClock()
  const stopTime = clock.flow()
  const [broker, disk, chance] = [createBroker(weather, clock), fakeDisk(spoolRoot), seededRandom(1)]
  const spools = watchSpools(disk.content)
  const script = loadScript(clock)
  const wrap = () => planted(plant, spools.process())
  await provision(broker, weather.lanes)
  const fleet = createFleet({ broker, disk, clock, chance, weather, script, dropLog: createDropLog(), wrap })
  await fleet.fill()
  clock.after(outage.from - clock.monotonic(), () => {
    clock.after(outage.to - outage.from, broker.refuse(simChannels.deadLetter))
  })
  for (let sent = 0; sent < total; ) {
    for (const end = sent + load.perSecond; sent < end; sent++) await broker.put(simChannels.work, script.message(sent))
    await passed(clock, second)
  }
  await heal({ weather, clock, chance, broker, disk, script, fleet })
  stopTime()
  const succeeded = script.runs.filter(({ endedAs }) => endedAs === 'succeeded')
  const letters = await broker.messagesIn(simChannels.deadLetter)
  const found = new Set([...succeeded.map(({ number }) => number), ...letters.map(({ id }) => Number(id?.slice(1)))])
  const waiting = (await broker.left(simChannels.work)) + waitingIn(disk).length
  return {
    completed: byMinute(succeeded.map(({ endedAt }) => endedAt)),
    sent: byMinute(numbers.filter((number) => !isBad(number)).map((number) => Math.floor(number / load.perSecond) * second)),
    lost: waiting > 0 ? numbers : numbers.filter((number) => !found.has(number)),
    overtaken: spools.overtaking,
  }
}

function byMinute(times: readonly number[]): readonly number[] {
  const minutes = (outage.to - outage.from) / minute
  return Array.from({ length: minutes }, (_, index) => {
    const from = outage.from + index * minute
    return times.filter((time) => time >= from && time < from + minute).length
  })
}

/** One message in ten never works; the others take a moment. */
function loadScript(clock: ReturnType<typeof virtualClock>): Script {
  const runs: Run[] = []
  const encoder = new TextEncoder()
  return {
    parts: numbers.map((number) => (isBad(number) ? 'bad' : 'slow')),
    runs,
    message: (number) => ({ id: `m${number}`, type: 'task', body: encoder.encode(String(number)), headers: [] }),
    async handle({ message }, process) {
      const number = Number(message.id?.slice(1))
      const call = beginCall(clock)
      if (isBad(number)) throw new PermanentError('this one never works')
      await passed(clock, 50)
      call.endedAt = clock.monotonic()
      runs.push({ number, process, lane: undefined, handOut: 1, unfenced: false, call, ...call, endedAs: 'succeeded' })
    },
    processDied() {},
  }
}

const peace: Weather = {
  family: 'lease',
  tagCounts: 'deliveries',
  messages: total,
  processes: 2,
  concurrency: 10,
  prefetch: 20,
  hold: 30_000,
  lanes: false,
  immediate: 0,
  retries: 2,
  timeout: 30_000,
  storm: load.end,
  callFaults: 0,
  crashes: 0,
  disconnects: 0,
  deploys: 0,
  rebalances: 0,
  graveDown: false,
  graveFlaps: false,
  maxHeld: 1000,
  deadLettering: 'annotated',
  clockJumps: false,
  answer: 'hold',
  drainRate: 500,
  disk: { slowness: 0, faults: 0, room: Number.POSITIVE_INFINITY },
  powerCuts: 0,
  breaker: true,
  outage: undefined,
}
