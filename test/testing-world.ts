import type { Message } from '../src/core/message.ts'
import type { VirtualClock } from '../src/platform/virtual-clock.ts'
import type { ChannelOptions } from '../src/runtime/channel-options.ts'
import type { Consumer } from '../src/runtime/consumer.ts'
import type { ConsumerOptions } from '../src/runtime/consumer-options.ts'
import { defineMessage, type MessageDefinition } from '../src/runtime/define-message.ts'
import { type ConsumerEvents, type EventName, eventNames } from '../src/runtime/events.ts'
import type { Logger } from '../src/runtime/logger.ts'
import type { Platform } from '../src/runtime/platform.ts'
import type { Handler } from '../src/runtime/routes.ts'
import { createTestBench } from '../src/testing/testing.ts'
import type { MemoryTransport } from '../src/transports/memory/memory.ts'
import type { Transport } from '../src/transports/seam.ts'

/** What most tests send: any value, no schema. */
export const Job: MessageDefinition<unknown> = defineMessage('job')
/** The same, kept in order by its `key`. */
export const KeyedJob: MessageDefinition<{ key: string; n: number }> = defineMessage('job', undefined, { key: ({ key }) => key })

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface Told {
  readonly name: EventName
  readonly event: ConsumerEvents[EventName]
}

/** A memory broker, a clock that stands still until it is told to move, and everything that left the process. */
export interface World {
  readonly clock: VirtualClock
  readonly broker: MemoryTransport
  readonly platform: Partial<Platform>
  readonly logs: LogLine[]
  readonly told: Told[]
  readonly exits: number[]
  readonly logger: Logger
  /** A consumer on this broker, or on another transport where one is given. */
  consumer(options?: Partial<ConsumerOptions>): Consumer
  /** A started consumer of the channel `work`, which dead-letters into `dead`. */
  consume(handler: Handler<unknown>, options?: ChannelOptions, own?: Partial<ConsumerOptions>): Promise<Consumer>
  put(value: unknown, message?: Partial<Message>, channel?: string): Promise<void>
  /** What stands in a channel, oldest first. */
  letters(channel?: string): Promise<readonly Message[]>
  /** The events of one name, in order. */
  of<N extends EventName>(name: N): readonly ConsumerEvents[N][]
}

export function testingWorld(): World {
  const bench = createTestBench()
  const { clock, transport: broker } = bench
  const logs: LogLine[] = []
  const told: Told[] = []
  const exits: number[] = []
  const platform: Partial<Platform> = { ...bench.platform, exit: (code) => void exits.push(code) }
  const logger = recordingLogger(logs)

  function consumer(options: Partial<ConsumerOptions> = {}): Consumer {
    const made = bench.consumer({ service: 'tests', logger, platform, ...options })
    for (const name of eventNames) made.on(name, (event) => void told.push({ name, event }))
    return made
  }

  return {
    clock,
    broker,
    platform,
    logs,
    told,
    exits,
    logger,
    consumer,
    async consume(handler, options, own) {
      const made = consumer(own)
      made.channel('work', { deadLetter: 'dead', ...options }).on(Job, handler)
      await made.start()
      return made
    },
    async put(value, message, channel = 'work') {
      await broker.send({ name: channel }, jobMessage(value, message))
      await clock.settle()
    },
    letters: (channel = 'dead') => bench.messages(channel),
    of: <N extends EventName>(name: N) =>
      told.filter((entry) => entry.name === name).map(({ event }) => event as ConsumerEvents[N]),
  }
}

export function jobMessage(value: unknown, message: Partial<Message> = {}): Message {
  return { type: 'job', body: new TextEncoder().encode(JSON.stringify(value)), headers: [], ...message }
}

/** A promise and the means to end it: what a handler waits for until the test says so. */
export function gate(): PromiseWithResolvers<void> {
  return Promise.withResolvers<void>()
}

/** Waits until the signal aborts, then throws its reason, as well-behaved I/O does. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

export function decoded(message: Message | undefined): unknown {
  return JSON.parse(new TextDecoder().decode(message?.body ?? undefined))
}

/** Creates the channels before any consumer does. */
export async function provision(transport: Transport, options: { lanes?: boolean } = {}): Promise<void> {
  const [work, dead] = [{ name: 'work' }, { name: 'dead' }]
  const wanted = [
    { address: dead, role: 'dead-letter' as const },
    { address: work, role: 'work' as const, deadLetterTo: dead, ...options },
  ]
  await transport.provision({ channels: wanted }, 'apply')
}

/** Keeps every line that is logged. */
export function recordingLogger(logs: LogLine[], fields: object = {}): Logger {
  const at = (level: string) => (own: object, message: string) =>
    void logs.push({ level, message, fields: { ...fields, ...own } })
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    child: (own) => recordingLogger(logs, { ...fields, ...own }),
  }
}
