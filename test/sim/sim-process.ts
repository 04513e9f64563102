import type { Clock, Files } from '../../src/core/ports.ts'
import type { VirtualClock } from '../../src/platform/virtual-clock.ts'
import type { ChannelOptions } from '../../src/runtime/channel-options.ts'
import { type Consumer, createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { createFaults } from '../../src/transports/memory/memory.ts'
import type { Transport } from '../../src/transports/seam.ts'
import type { FakeDisk } from '../fake-disk.ts'
import { batchesIn, batchHandler } from './batch-handler.ts'
import type { SimBroker } from './brokers/sim-broker.ts'
import { armCallFaults } from './call-faults.ts'
import { diskUnderFaults } from './disk-faults.ts'
import type { DropLog } from './drop-log.ts'
import { type Mortal, type Opening, type Script, simChannels } from './script.ts'
import type { Chance } from './seeded-random.ts'
import { keepsOrderAlone, simBreaker, type Weather } from './weather.ts'

/** One process of the simulation: the real consumer on a connection of its own, which can die at any moment. */
export interface SimProcess extends Mortal {
  /** Its connection breaks and nothing that it had begun goes on. */
  crash(): void
  loseConnection(): void
  /** No more faults on its calls. */
  heal(): void
  stop(): Promise<void>
}

/** What is put around the parts of a process: observers, and planted bugs. */
export interface Wrapping {
  transport(healthy: Transport, clock: Clock): Transport
  files(healthy: Files): Files
  options(healthy: ChannelOptions): ChannelOptions
  /** Hears and tells the consumer whatever it likes. */
  accompany(consumer: Consumer, clock: Clock): void
}

export interface SimParts {
  readonly broker: SimBroker
  readonly disk: FakeDisk
  readonly clock: VirtualClock
  readonly chance: Chance
  readonly weather: Weather
  readonly script: Script
  readonly dropLog: DropLog
  /** What goes around each process. */
  readonly wrap: () => Wrapping
  readonly newId: () => string
  /** The process died because of a message that it handled. */
  readonly died: (process: SimProcess) => void
}

/** Where the spools of all processes are: one volume that outlives them. */
export const spoolRoot = '/spool'
const Task = defineMessage('task')

export async function startProcess(parts: SimParts): Promise<SimProcess> {
  const { broker, clock, chance, weather, script, newId } = parts
  const wrap = parts.wrap()
  const faults = createFaults()
  const connection = broker.connect(faults)
  armCallFaults(faults, chance, weather.callFaults)
  let alive = true
  const death = Promise.withResolvers<void>()
  const mortalClock: Clock = { ...clock, after: (ms, callback, options) => clock.after(ms, () => alive && callback(), options) }
  const ownDisk = parts.disk.process()
  const disk = diskUnderFaults(ownDisk.files, weather.disk, { clock: mortalClock, chance, isAlive: () => alive })
  const consumer: Consumer = createConsumer({
    transport: wrap.transport(connection.transport, mortalClock),
    service: 'sim',
    logger: weather.answer === 'drop' ? parts.dropLog.logger : false,
    platform: { clock: mortalClock, random: chance.next, newId, exit: crash, files: wrap.files(disk.files) },
    drain: '5s',
  })
  const channel = consumer.channel(simChannels.work, wrap.options(channelOptions(weather)))
  const self: SimProcess = {
    get alive() {
      return alive
    },
    openings: openingsOf(consumer, clock),
    owns: connection.owns,
    crash,
    loseConnection: () => faults.loseConnection(),
    heal() {
      faults.clear()
      disk.heal()
    },
    async stop() {
      await consumer.stop()
      await connection.transport.close()
      alive = false
      // A process that has ended has no locks.
      ownDisk.kill()
    },
  }
  wrap.accompany(consumer, mortalClock)

  const batches = batchesIn(weather)
  if (batches) channel.onBatch(Task, batchHandler(script, self, batches, clock), { size: batches.size, wait: batches.wait })
  else channel.on(Task, (_, context) => script.handle(context, self))

  function crash(): void {
    if (!alive) return
    alive = false
    script.processDied(self)
    faults.down()
    ownDisk.kill()
    parts.died(self)
    death.resolve()
  }

  // A start can fail in a storm like anything else: then the process ends, and somebody starts another.
  await Promise.race([consumer.start().catch(crash), death.promise])
  return self
}

function channelOptions(weather: Weather): ChannelOptions {
  const { answer, drainRate } = weather
  return {
    deadLetter: simChannels.deadLetter,
    invalid: simChannels.invalid,
    concurrency: weather.concurrency,
    prefetch: weather.prefetch,
    hold: weather.hold,
    order: weather.lanes ? 'lane' : keepsOrderAlone(weather) ? 'per-process' : 'none',
    timeout: weather.timeout,
    onTimeout: 'retryable',
    deadLettering: weather.deadLettering,
    maxHeld: weather.maxHeld,
    onDeadLetterFailure: answer === 'spool' ? { spool: spoolRoot, drainRate } : answer,
    breaker: weather.breaker ? simBreaker : false,
    retry: { immediate: weather.immediate, delayed: { retries: weather.retries, backoff: { first: '1s', max: '10s' } } },
  }
}

/** When its breaker was open, by its own words; whether it did what it said is for the checker. */
function openingsOf(consumer: Consumer, clock: Clock): readonly Opening[] {
  const openings: Opening[] = []
  consumer.on('breaker-opened', () => void openings.push({ from: clock.monotonic(), to: Number.POSITIVE_INFINITY }))
  consumer.on('breaker-closed', () => {
    const last = openings.at(-1)
    if (last) last.to = clock.monotonic()
  })
  return openings
}
