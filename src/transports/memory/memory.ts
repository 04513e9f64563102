import { RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import { numberWithin, objectWith } from '../../core/option-checks.ts'
import { readOptions } from '../../core/options.ts'
import { type Clock, clockVerbs } from '../../core/ports.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Address, Delivery, Hold, Receipt, SendOptions, Settlement, Transport } from '../seam.ts'
import { type MemoryBroker, memoryBroker } from './broker.ts'
import { defaultLimits, type MemoryLimits, memoryCapabilities } from './capabilities.ts'
import { ticketFor } from './entry.ts'
import {
  type ArmedFaults,
  createFaults,
  type Fault,
  type FaultRule,
  type FaultStep,
  type Faults,
  type Occasion,
} from './faults.ts'
import { provision } from './provision.ts'
import { type OpenReceiver, openReceiver } from './receiver.ts'
import { holdOf, settleNow } from './settle.ts'
import { underFaults } from './under-faults.ts'

export interface MemoryOptions extends Partial<MemoryLimits> {
  /** Default: the real one. A virtual clock makes tests instant and repeatable. */
  readonly clock?: Clock
  /** Default: faults of its own. Given to several transports, they fail together. */
  readonly faults?: Faults
}

/**
 * A broker in memory that can do everything the seam knows: for tests, users' tests and the simulator. Bytes are copied in and
 * out, so nothing that a caller does to its buffers changes what is stored.
 */
export interface MemoryTransport extends Transport {
  /** What can be made to go wrong with this connection. */
  readonly faults: Faults
  /** Another connection to the same broker, as another process would have. */
  connect(options?: { readonly faults?: Faults }): MemoryTransport
}

export function memory(options: MemoryOptions = {}): MemoryTransport {
  const given = readOptions(options, ['clock', 'faults', 'deduplication', 'maxBody', 'maxHeaders'], 'memory')
  const limit = numberWithin({ min: 0, max: Number.POSITIVE_INFINITY })
  const limits: MemoryLimits = {
    deduplication: given.read('deduplication', limit, defaultLimits.deduplication),
    maxBody: given.read('maxBody', limit, defaultLimits.maxBody),
    maxHeaders: given.read('maxHeaders', limit, defaultLimits.maxHeaders),
  }
  const clock = given.read('clock', objectWith<Clock>(clockVerbs, 'a clock, such as virtualClock()'), systemClock)
  const faults = given.has('faults') ? given.required('faults', fromCreateFaults) : undefined
  return connectTo(memoryBroker(clock, limits), faults)
}

const fromCreateFaults = objectWith<ArmedFaults>(['attach', 'pass'], 'what createFaults() gives')

export { createFaults, type Fault, type FaultRule, type FaultStep, type Faults, type Occasion }

/** The answer to every settlement that worked. */
const settled: Promise<void> = Promise.resolve()

function connectTo(broker: MemoryBroker, given: Faults = createFaults()): MemoryTransport {
  const { clock } = broker
  // Everybody gets faults from `createFaults`; what a connection asks of them is not for its users.
  const faults = given as ArmedFaults
  const receivers = new Set<OpenReceiver>()
  let connection = newConnection()
  let closed = false
  const detach = faults.attach({ lose })

  function lose(): void {
    const reason = new RedriveError('hold-lost', 'The connection to the broker was lost.')
    const [before, dying] = [connection, [...receivers]]
    connection = newConnection()
    receivers.clear()
    for (const receiver of dying) receiver.lose(reason)
    before.abort(reason)
  }

  function checkOpen(): void {
    if (closed) throw new RedriveError('closed', 'The memory transport is closed.')
  }

  function settle(delivery: Delivery, settlement: Settlement): Promise<void> {
    try {
      checkOpen()
      settleNow(broker, delivery, settlement)
      return settled
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async function send(address: Address, message: Message, { dedupId, delay = 0 }: SendOptions = {}): Promise<Receipt> {
    checkOpen()
    const channel = broker.open(address)
    broker.inspect(message)
    const known = dedupId === undefined ? undefined : channel.seen.find(dedupId)
    if (known !== undefined) return { position: known, duplicate: true }
    const { position } = channel.put(message, delay)
    if (dedupId !== undefined) channel.seen.remember(dedupId, position)
    return { position, duplicate: false }
  }

  async function receive(...[address, options]: Parameters<Transport['receive']>): Promise<OpenReceiver> {
    checkOpen()
    const receiver = openReceiver({ channel: broker.open(address), address, options, hold: connection.hold, clock })
    receivers.add(receiver)
    return receiver
  }

  async function close(): Promise<void> {
    if (closed) return
    closed = true
    detach()
    for (const receiver of receivers) receiver.releaseAll()
    receivers.clear()
    connection.abort(new RedriveError('closed', 'The memory transport was closed; what it held was released.'))
  }

  const healthy: Transport = {
    name: 'memory',
    capabilities: memoryCapabilities(broker.limits),
    async provision(wanted, mode) {
      checkOpen()
      return provision(broker, wanted, mode)
    },
    receive,
    async extend(delivery, ms) {
      checkOpen()
      const ticket = holdOf(ticketFor(delivery))
      ticket.channel.extend(ticket, ms)
      return clock.now() + ms
    },
    settle,
    send,
    async browse(address, page) {
      checkOpen()
      return broker.open(address).browse(page)
    },
    async remove(address, position) {
      checkOpen()
      return broker.open(address).remove(position)
    },
    async measure(address) {
      checkOpen()
      return broker.open(address).measure()
    },
    close,
  }
  const connect: MemoryTransport['connect'] = (options) => connectTo(broker, options?.faults)
  return { ...underFaults(healthy, faults, clock), faults, connect }
}

interface Connection {
  /** One for all deliveries: they are lost together. */
  readonly hold: Hold
  abort(reason: RedriveError): void
}

function newConnection(): Connection {
  const controller = new AbortController()
  return { hold: { signal: controller.signal }, abort: (reason) => controller.abort(reason) }
}
