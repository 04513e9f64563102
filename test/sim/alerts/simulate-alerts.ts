import { DatabaseSync } from 'node:sqlite'
import type { Saying } from '../../../src/core/alerts/group-book.ts'
import { isShownUp } from '../../../src/core/alerts/raised-alert.ts'
import { virtualClock } from '../../../src/platform/virtual-clock.ts'
import type { AlertCommit } from '../../../src/vault/operations/alert-records.ts'
import type { Vault } from '../../../src/vault/vault.ts'
import { memoryVault } from '../../control/memory-vault.ts'
import { seededRandom } from '../seeded-random.ts'
import type { SimResult } from '../simulate.ts'
import { passed } from '../storm.ts'
import { alertViolations, type Outage, type Said } from './alert-checker.ts'
import { type AlertPeople, createAlertPeople } from './alert-people.ts'
import { type AlertPlant, type AlertProcess, type AlertWorld, startAlertProcess } from './alert-process.ts'
import { drawAlertWeather } from './alert-weather.ts'
import { beliefsOf, misbeliefs } from './beliefs.ts'
import { anyLevel, connections, simQueues } from './sim-queues.ts'
import { simReceiver } from './sim-receiver.ts'

const minute = 60_000
const turn = minute / 2

/**
 * The real alert engine, with its prober and its outbox, on a real vault in memory: virtual time, one stream of chance, faults at every call. First
 * a storm, in which it dies again and again; then everything heals, and who read all that arrived must believe what is true.
 */
export async function simulateAlerts(seed: number, plant: AlertPlant = {}): Promise<SimResult> {
  const chance = seededRandom(seed)
  const weather = drawAlertWeather(chance)
  const clock = virtualClock()
  const stopTime = clock.flow()
  const db = new DatabaseSync(':memory:')
  const sound = memoryVault(db)
  const said: Said[] = []
  const outages: Outage[] = []
  const queues = simQueues(clock, weather)
  const receivers = [
    simReceiver({ name: 'mail', onlyCritical: false, keepsState: false, clock, chance, weather }),
    simReceiver({ name: 'pager', onlyCritical: weather.pagerIsPicky, keepsState: true, clock, chance, weather }),
  ]
  const vault = watchCommits(sound, note)
  const people = createAlertPeople({ vault: sound, clock, chance, queues: queues.all })
  const world: AlertWorld = { chance, clock, weather, vault, queues, receivers, plant }
  const run: Run = { world, people, sound }

  function note({ deliveries, alerts }: AlertCommit): void {
    const at = clock.monotonic()
    for (const each of deliveries) if (!said.some((other) => isSame(each, other))) said.push({ ...each, at })
    for (const { alert } of alerts) {
      if (alert?.rule !== 'broker.down') continue
      const { source } = alert.subject
      const open = outages.find((outage) => outage.source === source && outage.to === Number.POSITIVE_INFINITY)
      if (!open && isShownUp(alert)) outages.push({ source, from: at, to: Number.POSITIVE_INFINITY })
      if (open && !isShownUp(alert)) open.to = at
    }
  }

  await storm(run)
  const late = await calm(run)
  stopTime()
  const deliveries = (await sound.read('listDeliveries', { limit: 10_000 })).toReversed()
  const ending = { said, deliveries, receivers, queues, hushes: people.hushes, outages, clockWasSet: weather.jumps > 0 }
  const violations = [...late, ...alertViolations(ending)]
  const story = receivers.flatMap(({ name, arrivals }) =>
    arrivals.map(({ at, notification: { reason, alerts } }) => `${at}:${name}:${reason}:${alerts.length}`),
  )
  db.close()
  return { seed, violations, trace: [clock.monotonic(), ...story].join(' ') }
}

interface Run {
  readonly world: AlertWorld
  readonly people: AlertPeople
  readonly sound: Vault
}

/** Sees every change that took effect. */
function watchCommits(vault: Vault, note: (commit: AlertCommit) => void): Vault {
  return {
    ...vault,
    write: (async (name: 'commitAlerts', input: AlertCommit) => {
      const result = await vault.write(name, input)
      if (name === 'commitAlerts') note(input)
      return result
    }) as Vault['write'],
  }
}

/** What is committed once more is one delivery. */
function isSame(one: Saying, other: Saying): boolean {
  return one.sink === other.sink && one.notification.id === other.notification.id
}

async function storm({ world, people }: Run): Promise<void> {
  const { chance, clock, weather } = world
  let living = startAlertProcess(world)
  for (let elapsed = 0; elapsed < weather.storm; elapsed += turn) {
    strike(world, elapsed)
    if (chance.happens(weather.crashes)) living.life.die()
    await passed(clock, chance.between(1, turn))
    if (!living.life.alive) living = startAlertProcess(world)
    if (chance.happens(weather.meddling)) await people.meddle(living)
  }
  living.life.die()
}

function strike({ chance, clock, weather, queues, receivers }: AlertWorld, elapsed: number): void {
  const [flapping, ...others] = queues.all
  if (weather.flaps && flapping && (elapsed / turn) % 4 === 0) queues.set(flapping, queues.levelOf(flapping) > 0 ? 0 : 150)
  for (const queue of weather.flaps ? others : queues.all) {
    if (chance.happens(weather.changes)) queues.set(queue, anyLevel(chance))
  }
  if (chance.happens(weather.publishFailures) && elapsed > 2 * minute) queues.failToPublish()
  if (chance.happens(weather.brokerOutages)) queues.takeDown(chance.pick(connections), chance.between(1, 8) * minute)
  for (const receiver of receivers) {
    if (chance.happens(weather.sinkOutages)) receiver.takeDown(chance.pick([1, 10, 15]) * minute)
  }
  if (chance.happens(weather.jumps)) clock.jump(chance.pick([-40 * 24 * 60, -60, 60, 25 * 60]) * minute)
}

/** After the storm everybody must come to believe what is true within this. Virtual milliseconds. */
const healing = 90 * minute

/** A broker that is away, queues that stand as they are, queues that are empty: at each of them it must come to rest. */
async function calm(run: Run): Promise<readonly string[]> {
  const { world, people } = run
  const { chance, clock, weather, queues, receivers } = world
  for (const receiver of receivers) receiver.heal()
  queues.restore()
  const last = startAlertProcess(world)
  last.heal()
  while (!last.engine && last.life.alive) await passed(clock, turn)
  await people.speakAgain(last)
  const late: string[] = []
  if (weather.endsDown) {
    queues.takeDown('shop', Number.POSITIVE_INFINITY)
    // Long enough for anything to be resolved that must not be.
    await passed(clock, chance.pick([0, 25]) * minute)
    late.push(...(await untilRest(run, () => unawareOfOutage(world, last))))
    queues.restore()
  }
  for (const queue of queues.all) queues.set(queue, chance.pick([0, 1, 7, 150, 1500]))
  late.push(...(await untilRest(run, () => believedWrongly(world))))
  for (const queue of queues.all) queues.set(queue, 0)
  late.push(...(await untilRest(run, () => [...believedWrongly(world), ...groupsLeft(world)])))
  await last.stop()
  return late
}

/** Looks until nothing is wrong any more and nothing waits to be sent; tells what is wrong when that takes too long. */
async function untilRest({ world, sound }: Run, wrong: () => readonly string[]): Promise<readonly string[]> {
  const { clock } = world
  const deadline = clock.monotonic() + healing
  await passed(clock, 2 * minute)
  for (; ; await passed(clock, minute)) {
    const found = wrong()
    const [health] = await sound.read('sinkHealth', undefined)
    if (found.length === 0 && !health) return []
    if (clock.monotonic() >= deadline) return found
  }
}

function unawareOfOutage({ receivers, queues }: AlertWorld, process: AlertProcess): readonly string[] {
  const unaware = receivers.filter((receiver) => !beliefsOf(receiver).isFiring('broker.down', 'shop'))
  const known = queues.all.filter((queue) => queue.connection === 'shop' && !process.isUnknown(queue))
  return [
    ...unaware.map(({ name }) => `${name} does not know that the broker is down`),
    ...known.map(({ name }) => `${name} is not shown as unknown while its broker is down`),
  ]
}

function believedWrongly({ receivers, queues }: AlertWorld): readonly string[] {
  return receivers.flatMap((receiver) => misbeliefs(receiver, queues))
}

function groupsLeft({ receivers }: AlertWorld): readonly string[] {
  const keepers = receivers.filter(({ keepsState }) => keepsState)
  return keepers.flatMap((receiver) =>
    beliefsOf(receiver).groups.map((group) => `${receiver.name} believes that group ${group} fires`),
  )
}
