import { subQueueOf } from '../../core/dialects/sub-queue.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import type { Address, Receipt, Transport } from '../seam.ts'
import { type Bus, openBus } from './bus.ts'
import { servicebusCapabilities } from './capabilities.ts'
import { heldOf } from './delivery.ts'
import { createLockKeeper } from './lock-keeper.ts'
import { browse, measure, peek } from './look.ts'
import { toSend, transportName } from './message.ts'
import { resolveOptions, type ServicebusOptions } from './options.ts'
import { provision } from './provision.ts'
import { queueSupply } from './queue-supply.ts'
import { type BusReceiver, createReceiver } from './receiving.ts'
import { sdkError } from './sdk-errors.ts'
import { createOutbox, type Outbox } from './send.ts'
import { createServiceClock } from './service-clock.ts'
import { sessionSupply } from './session-supply.ts'
import { settle } from './settle.ts'
import { entitiesOf, entityOf, isSubQueue } from './sub-queue.ts'

export type { ServicebusOptions }

/**
 * Azure Service Bus by its own SDK. An address names a queue, or a topic with a subscription as its group; its part `dead-letter` is
 * the sub-queue to which the service moves what is rejected, expires or is delivered too often.
 *
 * Nothing is connected before the first call.
 */
export function servicebus(options: ServicebusOptions): Transport {
  const settings = resolveOptions(options)
  const { clock } = settings
  const capabilities = servicebusCapabilities(settings)
  const keeper = createLockKeeper(clock, settings.answerWithin)
  const service = createServiceClock(clock)
  const receivers = new Set<BusReceiver>()
  const underway = new Set<Promise<unknown>>()
  let opened: Promise<{ readonly bus: Bus; readonly outbox: Outbox }> | undefined
  let closing: Promise<void> | undefined

  function checkOpen(): void {
    if (closing) throw new RedriveError('closed', 'The Service Bus transport is closed.')
  }

  async function connect(): Promise<{ readonly bus: Bus; readonly outbox: Outbox }> {
    opened ??= openBus(settings).then((bus) => ({ bus, outbox: createOutbox(bus, settings) }))
    return opened
  }

  async function open(bus: Bus, address: Address, receiveOptions: BusReceiverOptions): Promise<BusReceiver> {
    // The SDK would wait for an entity that does not exist; who looks is told.
    await peek(bus, settings, address, '0', 1)
    const context = { bus, settings, keeper, service, address, options: receiveOptions }
    const inSessions = settings.sessions && address.part === undefined
    const supplyFor = inSessions ? sessionSupply : queueSupply
    const ended = (): void => void receivers.delete(receiver)
    const receiver = createReceiver(context, (intake) => supplyFor(context, intake), ended)
    return receiver
  }

  /** What was asked for before a close is done before it. */
  function tracked<T>(work: Promise<T>): Promise<T> {
    underway.add(work)
    const forget = (): void => void underway.delete(work)
    work.then(forget, forget)
    return work
  }

  async function sendOne(address: Address, message: Message, delay: number): Promise<Receipt> {
    const { bus, outbox } = await connect()
    const { types } = bus.library
    const outgoing = { types, newId: settings.newId, sessions: settings.sessions, limits: capabilities.messages }
    await outbox.send(address, toSend(message, delay > 0 ? service.now() + delay : undefined, outgoing))
    return { duplicate: false }
  }

  async function closeAll(): Promise<void> {
    if (!opened) return
    const { bus } = await opened
    await Promise.allSettled([...underway, ...[...receivers].map((receiver) => receiver.end())])
    keeper.stop()
    await bus.close()
  }

  return {
    name: transportName,
    capabilities,
    deadLetterFor: (group, channel) => subQueueOf(channel, group),
    brokersOwn: isSubQueue,

    async provision(wanted, mode) {
      checkOpen()
      return provision((await connect()).bus, settings, entitiesOf(wanted), mode)
    },

    async receive(address, receiveOptions) {
      checkOpen()
      const { bus } = await connect()
      const receiver = await open(bus, entityOf(address), receiveOptions)
      if (closing) await receiver.end()
      checkOpen()
      receivers.add(receiver)
      return receiver
    },

    async extend(delivery, ms) {
      checkOpen()
      const held = heldOf(delivery)
      if (held.lock.loss) throw held.lock.loss
      if (held.settlement) throw new RedriveError('hold-lost', 'The delivery has been settled.')
      try {
        return await keeper.extend(held.lock, clock.now() + ms)
      } catch (cause) {
        throw sdkError(cause, 'Renewing a lock', 'unsure')
      }
    },

    // No async function: it is the path of every message.
    settle(delivery, settlement) {
      try {
        checkOpen()
        return settle(delivery, settlement, settings)
      } catch (error) {
        return Promise.reject(error)
      }
    },

    async send(address, message, { delay = 0, via } = {}) {
      checkOpen()
      if (via) throw new RedriveError('unsupported', 'Service Bus has no routes: name the queue or the topic itself.')
      if (delay > capabilities.delayedSend)
        throw new RedriveError('unsupported', `A message can wait for at most ${capabilities.delayedSend} ms.`)
      return tracked(sendOne(entityOf(address), message, delay))
    },

    async browse(address, page) {
      checkOpen()
      return browse((await connect()).bus, settings, entityOf(address), page)
    },

    async remove() {
      checkOpen()
      throw new RedriveError('unsupported', 'Service Bus cannot remove one message: receive it, and complete it.')
    },

    async measure(address) {
      checkOpen()
      return measure((await connect()).bus, settings, entityOf(address))
    },

    close() {
      closing ??= closeAll()
      return closing
    },
  }
}

type BusReceiverOptions = Parameters<Transport['receive']>[1]
