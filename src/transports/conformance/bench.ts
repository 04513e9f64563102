import assert from 'node:assert/strict'
import type { Message } from '../../core/message.ts'
import type { Clock } from '../../core/ports.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Address, Delivery, Transport } from '../seam.ts'
import type { WantedChannel } from '../topology.ts'
import { type Consumer, createConsumer } from './consumer.ts'
import { bytes } from './expectations.ts'
import type { Fragile, Subject } from './subject.ts'

/** What a scenario works with. Its channels are its own, so one broker serves all scenarios. */
export interface Bench {
  readonly capabilities: Capabilities
  /** The scenario's first connection. */
  readonly transport: Transport
  readonly clock: Clock
  readonly shortHold: number
  readonly shortDelay: number
  /** Far longer than any scenario: for holds that must not expire. */
  readonly longHold: number
  readonly restart: () => Promise<void>
  open(): Promise<Transport>
  openFragile(): Promise<Fragile>
  /** A new, provisioned channel. */
  channel(name: string, wanted?: Partial<WantedChannel>): Promise<Address>
  /** A new channel and the one that the broker dead-letters to. */
  channelWithGrave(name: string, wanted?: Partial<WantedChannel>): Promise<{ readonly work: Address; readonly grave: Address }>
  /** A channel that does not exist. */
  absent(name: string): Address
  /** Sends one message for each label, in this order, with the label as its body. */
  send(address: Address, ...labels: readonly string[]): Promise<void>
  consumer(address: Address, options?: ConsumerOptions): Promise<Consumer>
  /** The first delivery that a new consumer of this channel is given. */
  firstOf(address: Address): Promise<Delivery>
  /** Fails when a new consumer of this channel is given anything. */
  isEmpty(address: Address): Promise<void>
  /** Tries until the check holds; fails as the check fails when that takes too long. */
  eventually<T>(check: () => Promise<T>): Promise<T>
}

export interface ConsumerOptions {
  /** Default: the scenario's first connection. */
  readonly on?: Transport
  /** Default: a hold that never expires within the scenario. */
  readonly hold?: number
  readonly prefetch?: number
}

export interface OpenBench extends Bench {
  close(): Promise<void>
}

const longHold = 300_000
const pollEvery = 20
let benches = 0

export async function openBench(subject: Subject): Promise<OpenBench> {
  const { clock = systemClock, quiet, patience = 60_000, shortHold, shortDelay = shortHold } = subject
  const run = `${clock.now().toString(36)}-${++benches}`
  const opened: Transport[] = []
  const open = async (): Promise<Transport> => remember(await subject.open())
  const transport = await open()

  function remember(connection: Transport): Transport {
    opened.push(connection)
    return connection
  }

  function addressOf(name: string): Address {
    const unique = `conformance-${run}-${name}`
    return subject.group === undefined ? { name: unique } : { name: unique, group: subject.group }
  }

  async function provision(...channels: readonly WantedChannel[]): Promise<void> {
    const findings = await transport.provision({ channels }, 'apply')
    const wrong = findings.filter(({ severity }) => severity === 'missing' || severity === 'fatal')
    assert.deepEqual(wrong, [], 'A new channel is not as it was asked for.')
  }

  async function channel(name: string, wanted: Partial<WantedChannel> = {}): Promise<Address> {
    const address = addressOf(name)
    await provision({ address, role: 'work', ...wanted })
    return address
  }

  async function channelWithGrave(name: string, wanted: Partial<WantedChannel> = {}) {
    const work = addressOf(name)
    const grave = subject.deadLetterOf?.(work) ?? addressOf(`${name}-dead`)
    await provision({ address: grave, role: 'dead-letter' }, { address: work, role: 'work', deadLetterTo: grave, ...wanted })
    return { work, grave }
  }

  async function consumer(address: Address, options: ConsumerOptions = {}): Promise<Consumer> {
    const { on = transport, hold = longHold, prefetch = 100 } = options
    const receiver = await on.receive(address, { prefetch, hold })
    return createConsumer({ transport: on, receiver, clock, quiet, patience })
  }

  async function eventually<T>(check: () => Promise<T>): Promise<T> {
    const deadline = clock.monotonic() + patience
    for (;;) {
      try {
        return await check()
      } catch (error) {
        if (clock.monotonic() >= deadline) throw error
        await new Promise<void>((resolve) => clock.after(pollEvery, resolve))
      }
    }
  }

  return {
    capabilities: transport.capabilities,
    transport,
    clock,
    shortHold,
    shortDelay,
    longHold,
    restart: async () => subject.restart?.(),
    open,
    async openFragile() {
      const fragile = await subject.openFragile()
      remember(fragile.transport)
      return fragile
    },
    channel,
    channelWithGrave,
    absent: addressOf,
    async send(address, ...labels) {
      for (const text of labels) await transport.send(address, messageOf(text))
    },
    consumer,
    firstOf: async (address) => (await consumer(address)).next(),
    isEmpty: async (address) => (await consumer(address)).nothing(),
    eventually,
    async close() {
      // A connection that the scenario broke may well fail to close; what matters is that nothing is left open.
      await Promise.allSettled(opened.map((connection) => connection.close()))
    },
  }
}

export interface BriefHolder {
  readonly consumer: Consumer
  readonly held: Delivery[]
}

/**
 * Somebody who has taken so many deliveries and no more, and holds them for the shortest time from now on, where the broker ends holds by the clock.
 * Not from the beginning: on a slow machine the first would be free again before the last has come.
 */
export async function holdBriefly(bench: Bench, work: Address, on: Transport, count: number): Promise<BriefHolder> {
  const consumer = await bench.consumer(work, { on, prefetch: count })
  const held = await consumer.gather(count)
  if (bench.capabilities.hold === 'lock') await Promise.all(held.map((delivery) => on.extend(delivery, bench.shortHold)))
  return { consumer, held }
}

/** A plain message whose body is its label. */
export function messageOf(text: string, rest: Partial<Message> = {}): Message {
  return { id: `id-${text}`, body: bytes(text), headers: [], ...rest }
}
