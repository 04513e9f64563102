import type { Clock } from '../../src/core/ports.ts'
import type { VirtualClock } from '../../src/platform/virtual-clock.ts'
import { type Consumer, createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { createFaults } from '../../src/transports/memory/memory.ts'
import type { Transport } from '../../src/transports/seam.ts'
import type { SimBroker } from './brokers/sim-broker.ts'
import { armCallFaults } from './call-faults.ts'
import { type Script, simChannels } from './script.ts'
import type { Chance } from './seeded-random.ts'
import type { Weather } from './weather.ts'

/** One process of the simulation: the real consumer on a connection of its own, which can die at any moment. */
export interface SimProcess {
  readonly alive: boolean
  owns(id: string): boolean
  /** Its connection breaks and nothing that it had begun goes on. */
  crash(): void
  loseConnection(): void
  /** No more faults on its calls. */
  heal(): void
  stop(): Promise<void>
}

export interface SimParts {
  readonly broker: SimBroker
  readonly clock: VirtualClock
  readonly chance: Chance
  readonly weather: Weather
  readonly script: Script
  /** A planted bug, for showing that the checker finds it. */
  readonly plant: (transport: Transport, clock: Clock) => Transport
  readonly newId: () => string
  /** The process died because of a message that it handled. */
  readonly died: (process: SimProcess) => void
}

const Task = defineMessage('task')

export async function startProcess(parts: SimParts): Promise<SimProcess> {
  const { broker, clock, chance, weather, script, plant, newId } = parts
  const faults = createFaults()
  const connection = broker.connect(faults)
  armCallFaults(faults, chance, weather.callFaults)
  let alive = true
  const mortalClock: Clock = { ...clock, after: (ms, callback, options) => clock.after(ms, () => alive && callback(), options) }
  const platform = { clock: mortalClock, random: chance.next, newId, exit: crash }
  const consumer: Consumer = createConsumer({
    transport: plant(connection.transport, mortalClock),
    service: 'sim',
    logger: false,
    platform,
    drain: '5s',
  })
  consumer
    .channel(simChannels.work, {
      deadLetter: simChannels.deadLetter,
      invalid: simChannels.invalid,
      concurrency: weather.concurrency,
      prefetch: weather.prefetch,
      hold: weather.hold,
      order: weather.lanes ? 'lane' : 'none',
      timeout: weather.timeout,
      onTimeout: 'retryable',
      deadLettering: weather.deadLettering,
      maxHeld: weather.maxHeld,
      // The checker counts runs, and an outage pardons them.
      breaker: false,
      retry: { immediate: weather.immediate, delayed: { retries: weather.retries, backoff: { first: '1s', max: '10s' } } },
    })
    .on(Task, (_, context) => script.handle(context, self))
  const self: SimProcess = {
    get alive() {
      return alive
    },
    owns: connection.owns,
    crash,
    loseConnection: () => faults.loseConnection(),
    heal: () => faults.clear(),
    async stop() {
      await consumer.stop()
      await connection.transport.close()
      alive = false
    },
  }

  function crash(): void {
    if (!alive) return
    alive = false
    script.processDied(self)
    faults.down()
    parts.died(self)
  }

  // A start can fail in a storm like anything else: then the process ends, and somebody starts another.
  await consumer.start().catch(crash)
  return self
}
