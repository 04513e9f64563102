import { defaultRules } from '../../../src/core/alerts/default-rules.ts'
import type { Rule, RuleType } from '../../../src/core/alerts/rule.ts'
import { createChore } from '../../../src/core/chore.ts'
import type { Clock } from '../../../src/core/ports.ts'
import { createDeliveryLine } from '../../../src/notifiers/delivery-line.ts'
import { type AlertEngine, startAlertEngine } from '../../../src/ops/alerts/alert-engine.ts'
import { createProber } from '../../../src/ops/alerts/prober.ts'
import { sampleSinks } from '../../../src/ops/alerts/regular-samplers.ts'
import type { Report } from '../../../src/ops/alerts/report.ts'
import type { ConfiguredSource } from '../../../src/ops/sources.ts'
import type { VirtualClock } from '../../../src/platform/virtual-clock.ts'
import type { Transport } from '../../../src/transports/seam.ts'
import type { Vault } from '../../../src/vault/vault.ts'
import { type Mortality, mortal } from '../replay/mortal.ts'
import type { Chance } from '../seeded-random.ts'
import type { AlertWeather } from './alert-weather.ts'
import type { SimQueue, SimQueues } from './sim-queues.ts'
import type { SimReceiver } from './sim-receiver.ts'

/** One mistake of a control plane that alerts. */
export interface AlertPlant {
  readonly vault?: (sound: Vault) => Vault
  readonly rules?: (sound: readonly Rule[]) => readonly Rule[]
  readonly reports?: (sound: readonly Report[]) => readonly Report[]
  readonly clock?: (sound: Clock) => Clock
}

export interface AlertWorld {
  readonly chance: Chance
  readonly clock: VirtualClock
  readonly weather: AlertWeather
  /** As it is, with those who watch it. */
  readonly vault: Vault
  readonly queues: SimQueues
  readonly receivers: readonly SimReceiver[]
  readonly plant: AlertPlant
}

/** A control plane as far as it alerts: it looks, decides and tells. */
export interface AlertProcess {
  readonly life: Mortality
  /** Absent while it starts. */
  readonly engine: AlertEngine | undefined
  /** Whether it says of a queue that nobody knows what is in it. */
  isUnknown(queue: SimQueue): boolean
  heal(): void
  stop(): Promise<void>
}

const watched: ReadonlySet<RuleType> = new Set<RuleType>([
  'dlq.any',
  'dlq.count',
  'dlq.publish.failed',
  'probe.failed',
  'broker.down',
  'sink.failing',
])

/** Whoever cannot write letters tells of it. */
export const service = 'orders'

export function startAlertProcess(world: AlertWorld): AlertProcess {
  const { clock, chance, weather, queues, receivers, plant } = world
  const life = mortal(clock, chance, weather)
  let isCalm = false
  let engine: AlertEngine | undefined
  const stops: (() => Promise<void>)[] = []

  /** It dies before something is done, or after it was done and before it heard of it. */
  async function step<T>(work: () => Promise<T>): Promise<T> {
    mayDie()
    await life.takesTime()
    const result = await work()
    mayDie()
    await life.takesTime()
    return result
  }

  function mayDie(): void {
    if (!isCalm && chance.happens(weather.deaths)) life.die()
  }

  const own = life.vault({
    write: ((name: never, input: never) => step(() => world.vault.write(name, input))) as Vault['write'],
    read: ((name: never, input: never) => step(() => world.vault.read(name, input))) as Vault['read'],
    close: async () => {},
  })
  const vault = plant.vault?.(own) ?? own
  const whole = wholeMilliseconds(life.clock)
  const processClock = plant.clock?.(whole) ?? whole
  const sinks = receivers.map(({ connect }) => connect(step))
  const lines = sinks.map((sink) =>
    createDeliveryLine({ sink, vault, clock: processClock, random: chance.next, lookEvery: 20_000, onProblem: () => {} }),
  )
  const sources = queues.all.map((queue) => sourceOf(queue, world))
  const prober = createProber({
    ...{ sources, clock: processClock, random: chance.next },
    inVault: async (_, { retained }) => ({ values: { letters: retained } }),
    report: (reports) => report(reports),
    onProblem: () => {},
  })

  function report(reports: readonly Report[]): void {
    engine?.report(plant.reports?.(reports) ?? reports)
  }

  async function start(): Promise<void> {
    const rules = defaultRules.filter(({ type }) => watched.has(type))
    engine = await startAlertEngine({
      ...{ vault, clock: processClock, sinks, windows: [], instance: 'redrive-1', timers: weather.timers },
      rules: plant.rules?.(rules) ?? rules,
      componentOf: (source) => source,
      isGone: () => false,
      onChange: () => {},
      onSaid: () => {
        for (const line of lines) line.wake()
      },
      onProblem: () => {},
    })
    const lookAtSinks = sampleSinks(vault, processClock, engine, sinks)
    const looking = createChore({
      ...{ clock: processClock, every: 30_000, onFailure: () => {} },
      async work() {
        report([{ subject: { source: service }, values: { publishFailedTotal: queues.publishFailures.length } }])
        report(await lookAtSinks())
      },
    })
    for (const each of [looking, prober, ...lines]) each.start()
    stops.push(looking.stop, prober.stop, ...lines.map((line) => line.stop), engine.stop)
  }

  start().catch(life.die)
  return {
    life,
    get engine() {
      return engine
    },
    isUnknown: (queue) => prober.unknownSince(sources[queues.all.indexOf(queue)] as ConfiguredSource) !== undefined,
    heal() {
      isCalm = true
      life.heal()
    },
    async stop() {
      for (const stop of stops) await stop()
    },
  }
}

/** As timers have them. */
function wholeMilliseconds(clock: Clock): Clock {
  return { ...clock, after: (ms, callback, options) => clock.after(Math.ceil(ms), callback, options) }
}

function sourceOf(queue: SimQueue, { queues, weather }: AlertWorld): ConfiguredSource {
  const transport: Transport = {
    ...({} as Transport),
    name: 'sim',
    async measure() {
      const retained = queues.measure(queue)
      return { retained, pending: retained }
    },
  }
  const { connection, name } = queue
  return { connection, transport, address: { name }, mode: 'watch', probeEvery: weather.probeEvery }
}
