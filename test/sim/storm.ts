import type { VirtualClock } from '../../src/platform/virtual-clock.ts'
import type { FakeDisk } from '../fake-disk.ts'
import type { SimBroker } from './brokers/sim-broker.ts'
import type { Fleet } from './fleet.ts'
import { type Script, simChannels } from './script.ts'
import type { Chance } from './seeded-random.ts'
import type { Weather } from './weather.ts'

export interface World {
  readonly weather: Weather
  readonly clock: VirtualClock
  readonly chance: Chance
  readonly broker: SimBroker
  readonly disk: FakeDisk
  readonly script: Script
  readonly fleet: Fleet
}

/** After the storm everything must come to an end within this. Virtual milliseconds. */
const healing = 4 * 3_600_000
const look = 1000
/** Nothing happens by chance while it heals; it only takes its time. */
const healingLook = 5000
/** Looks until a spool that should be empty has had its time. */
const looksToDrain = 24

/** Sends everything while things go wrong. */
export async function storm(world: World): Promise<void> {
  const { weather, clock, broker, disk, script, fleet } = world
  const grave = graveOf(world)
  disk.leave(weather.disk.room)
  let sent = 0
  for (let elapsed = 0; elapsed < weather.storm; elapsed += look) {
    const share = Math.ceil((weather.messages * (elapsed + look)) / weather.storm)
    for (; sent < Math.min(share, weather.messages); sent++) await broker.put(simChannels.work, script.message(sent))
    strike(world)
    grave.maybeFlap()
    await passed(clock, look)
    await fleet.fill()
  }
  grave.restore()
  disk.leave(Number.POSITIVE_INFINITY)
  for (const process of fleet.all()) process.heal()
}

function strike({ weather, clock, chance, broker, fleet }: World): void {
  if (chance.happens(weather.crashes)) fleet.one()?.crash()
  if (chance.happens(weather.powerCuts)) fleet.cutPower()
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

/** The dead-letter channel, which may be down all the time, or come and go. */
function graveOf({ weather, chance, broker }: World): { maybeFlap(): void; restore(): void } {
  let repair = weather.graveDown ? broker.refuse(simChannels.deadLetter) : undefined
  const restore = (): void => {
    repair?.()
    repair = undefined
  }
  return {
    maybeFlap() {
      if (!weather.graveFlaps || !chance.happens(0.2)) return
      if (repair) restore()
      else repair = broker.refuse(simChannels.deadLetter)
    },
    restore,
  }
}

/** Everything is well again, and whatever waits must come to an end. */
export async function heal({ weather, clock, broker, disk, fleet }: World): Promise<void> {
  const deadline = clock.monotonic() + healing
  for (let looks = 1; clock.monotonic() < deadline; looks++) {
    const isIdle = (await broker.left(simChannels.work)) === 0
    if (isIdle && waitingIn(disk).length === 0) break
    await fleet.fill()
    for (const process of fleet.all()) process.heal()
    await passed(clock, healingLook)
    // A file that a failing disk did not let go of is for the next start.
    if (isIdle && weather.disk.faults > 0 && looks % looksToDrain === 0) await stopAll(fleet)
  }
  await stopAll(fleet)
}

async function stopAll(fleet: Fleet): Promise<void> {
  for (const process of fleet.all()) await process.stop()
}

/** Files with letters that are still to be sent. */
export function waitingIn(disk: FakeDisk): readonly string[] {
  return disk.paths().filter((path) => path.endsWith('.letters'))
}

export function passed(clock: VirtualClock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}
