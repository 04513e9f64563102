import { type Duration, parseDuration } from '../core/duration.ts'
import { RedriveError } from '../core/errors.ts'
import type { Message } from '../core/message.ts'
import { type VirtualClock, virtualClock } from '../platform/virtual-clock.ts'
import { type Consumer, createConsumer } from '../runtime/consumer.ts'
import type { ConsumerOptions } from '../runtime/consumer-options.ts'
import type { ConsumerEvents, EventName } from '../runtime/events.ts'
import type { Platform } from '../runtime/platform.ts'
import { createProducer, type Producer } from '../runtime/producer.ts'
import { type MemoryTransport, memory } from '../transports/memory/memory.ts'
import { createWitness } from './witness.ts'

/**
 * A broker in memory, a clock that moves only when a test waits, and everything that happened: for tests of your own handlers and
 * policies. An hour of backoff takes no time, and the same test does the same thing every time.
 *
 * ```ts
 * const bench = createTestBench()
 * const consumer = bench.consumer()
 * consumer.channel('orders', { deadLetter: 'dlq.orders' }).on(Order, handler)
 * await consumer.start()
 * await bench.producer.send(Order, order)
 * const { reason } = await bench.waitFor('dead-lettered')
 * ```
 */
export interface TestBench {
  /** It can be told to fail at any step: see `transport.faults`. */
  readonly transport: MemoryTransport
  readonly clock: VirtualClock
  readonly producer: Producer
  /** Clock, chance and ids of this bench, for a consumer or producer that you make yourself. */
  readonly platform: Partial<Platform>
  /** A consumer on this bench. It logs nothing unless it is given a logger. */
  consumer(options?: Partial<ConsumerOptions>): Consumer
  /**
   * The next such event of a consumer of this bench, each given once, in the order in which they happened. Moves the clock until it
   * has; rejects with `not-seen` when that takes longer than `within` (default: an hour) on that clock.
   */
  waitFor<N extends EventName>(name: N, options?: WaitOptions<N>): Promise<ConsumerEvents[N]>
  /** What stands in a channel, oldest first. */
  messages(channel: string): Promise<readonly Message[]>
}

export interface WaitOptions<N extends EventName> {
  /** Which of these events; by default the next. */
  readonly where?: (event: ConsumerEvents[N]) => boolean
  readonly within?: Duration
}

/** Every choice of chance comes out the same: jitter, above all, is none. */
const noJitter = (): number => 0

export function createTestBench(): TestBench {
  const clock = virtualClock()
  const transport = memory({ clock })
  const witness = createWitness()
  let ids = 0
  const platform: Partial<Platform> = { clock, random: noJitter, newId: () => `id-${++ids}` }
  return {
    transport,
    clock,
    platform,
    producer: createProducer({ transport, platform }),
    consumer(options = {}) {
      const consumer = createConsumer({ transport, service: 'test', logger: false, platform, ...options })
      witness.watch(consumer)
      return consumer
    },
    async waitFor(name, { where = () => true, within = '1h' } = {}) {
      const wait = parseDuration(within, 'waitFor within')
      await clock.advanceUntil(() => witness.has(name, where), wait)
      const seen = witness.next(name, where)
      if (seen) return seen
      throw new RedriveError('not-seen', `${name} did not happen within ${within}. What did: ${witness.story()}.`)
    },
    async messages(channel) {
      const { messages } = await transport.browse({ name: channel }, { limit: 100_000 })
      return messages.map(({ message }) => message)
    },
  }
}
