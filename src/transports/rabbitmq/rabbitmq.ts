import { hasCode, RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import type { Route } from '../../core/route.ts'
import type { Address, Delivery, Receipt, Settlement, Transport } from '../seam.ts'
import { createAsk } from './admin.ts'
import { browse } from './browse.ts'
import { rabbitmqCapabilities } from './capabilities.ts'
import { createLink } from './connection.ts'
import { createDelays, delayNames, routeFor } from './delay.ts'
import { RabbitDelivery } from './delivery.ts'
import { giveBack } from './give-back.ts'
import { createManagement } from './management.ts'
import { measure } from './measure.ts'
import { bodyOf, toPublish, transportName } from './message.ts'
import { type ManagementOptions, type QueueType, type RabbitmqOptions, resolveOptions } from './options.ts'
import { provision } from './provision.ts'
import { reachOf } from './reach.ts'
import { openReceiver, type RabbitReceiver } from './receiver.ts'
import { createPublisher, type Publication } from './send.ts'
import type { Batch } from './settle.ts'
import { createWays } from './ways.ts'

export type { ManagementOptions, QueueType, RabbitmqOptions }

/**
 * RabbitMQ over AMQP 0-9-1, version 3.10 and later. An address names a queue; to exchanges of the user's is sent what is sent `via` a route.
 *
 * Nothing is connected before the first call. Receiving and sending have a connection each, because a broker that is short of
 * memory stops to read from those that publish, and their acknowledgements would wait as well.
 */
export function rabbitmq(options: RabbitmqOptions): Transport {
  const settings = resolveOptions(options)
  const capabilities = rabbitmqCapabilities(settings)
  const receiving = createLink(settings)
  const sending = createLink(settings)
  const ask = createAsk(receiving, settings)
  const names = delayNames(settings.prefix)
  const delays = createDelays(ask, names)
  const ways = createWays(ask)
  const publisher = createPublisher(sending, settings)
  const management = settings.management && createManagement(settings.management, settings)
  const receivers = new Set<RabbitReceiver>()
  let closing: Promise<void> | undefined

  function checkOpen(): void {
    if (closing) throw new RedriveError('closed', 'The RabbitMQ transport is closed.')
  }

  /** `part` and `group` are words of other brokers. */
  function queueOf({ name, group, part }: Address): string {
    checkOpen()
    if (group === undefined && part === undefined) return name
    throw new RedriveError(
      'unsupported',
      `RabbitMQ has no ${group === undefined ? 'sub-queues' : 'groups'}: name the queue itself.`,
    )
  }

  function settle(delivery: Delivery, settlement: Settlement): Promise<void> {
    try {
      checkOpen()
      const held = heldOf(delivery)
      held.settlement = begin(held, settlement)
      return held.settlement.done
    } catch (error) {
      return Promise.reject(error)
    }
  }

  function publicationOf(message: Message, queue: string, exchange: string, routingKey: string): Publication {
    return { exchange, routingKey, queue, options: toPublish(message, capabilities.messages), body: bodyOf(message) }
  }

  function sendNow(queue: string, message: Message): Promise<void> {
    return publisher.publish(publicationOf(message, queue, '', queue))
  }

  async function sendLater(queue: string, message: Message, delay: number): Promise<void> {
    const { exchange, routingKey, level } = routeFor(names, queue, delay)
    const publication = publicationOf(message, queue, exchange, routingKey)
    await delays.prepare(queue, level)
    try {
      await publisher.publish(publication)
    } catch (error) {
      if (hasCode(error, 'unknown-channel')) delays.doubt()
      else delays.forget()
      throw error
    }
  }

  async function sendVia({ exchange, routingKey }: Route, queue: string, message: Message): Promise<void> {
    const publication = publicationOf(message, queue, exchange, routingKey)
    await ways.prepare(exchange)
    try {
      await publisher.publish(publication)
    } catch (error) {
      ways.forget()
      throw error
    }
  }

  async function closeAll(): Promise<void> {
    await Promise.allSettled([publisher.settled(), ...[...receivers].map((receiver) => receiver.end())])
    await Promise.all([receiving.close(), sending.close()])
  }

  function heldByUs(name: string): number {
    return [...receivers].reduce((sum, receiver) => sum + (receiver.address.name === name ? receiver.held : 0), 0)
  }

  return {
    name: transportName,
    capabilities,

    async reach(route) {
      checkOpen()
      return reachOf(management, route)
    },

    async provision(wanted, mode) {
      checkOpen()
      for (const { address } of wanted.channels) queueOf(address)
      return provision({ ask, management, settings, link: receiving }, wanted, mode)
    },

    async receive(address, receiveOptions) {
      queueOf(address)
      // Its queue may be another one by now, which nothing that was delayed finds before it is bound.
      delays.forget()
      const receiver = await openReceiver(await receiving.session(), address, receiveOptions, settings, async (message) =>
        sendNow(address.name, message),
      )
      if (closing) await receiver.end()
      checkOpen()
      receivers.add(receiver)
      const lost = (): void => {
        receivers.delete(receiver)
        delays.forget()
      }
      receiver.lost.addEventListener('abort', lost, { once: true })
      return receiver
    },

    async extend(delivery) {
      checkOpen()
      const held = heldOf(delivery)
      if (held.settlement) throw new RedriveError('hold-lost', 'The delivery has been settled.')
      return held.heldUntil
    },

    settle,

    async send(address, message, { delay = 0, via } = {}) {
      const queue = queueOf(address)
      if (via && delay > 0) throw new RedriveError('unsupported', 'What is sent to an exchange cannot be delayed.')
      if (via) await sendVia(via, queue, message)
      else await (delay > 0 ? sendLater(queue, message, delay) : sendNow(queue, message))
      return confirmed
    },

    async browse(address, page) {
      const queue = queueOf(address)
      if (capabilities.browse === 'none')
        throw new RedriveError('unsupported', 'Browsing a quorum queue would count as deliveries: collect it instead.')
      return browse(ask, queue, page, settings.browseDepth)
    },

    async remove() {
      checkOpen()
      throw new RedriveError('unsupported', 'RabbitMQ cannot remove one message out of a queue.')
    },

    async measure(address) {
      const queue = queueOf(address)
      return measure(ask, management, queue, () => heldByUs(queue), settings.consumerTimeout)
    },

    close() {
      closing ??= closeAll()
      return closing
    },
  }
}

const confirmed: Receipt = { duplicate: false }

/** Ours still, or settled by us: the first settlement that works wins. */
function heldOf(delivery: Delivery): RabbitDelivery {
  if (!(delivery instanceof RabbitDelivery)) throw new RedriveError('hold-lost', 'This delivery did not come from RabbitMQ.')
  const { settlement, hold } = delivery
  if (hold.signal.aborted && (!settlement || settlement.failed))
    throw new RedriveError('hold-lost', 'The channel by which this delivery came is gone.', { cause: hold.signal.reason })
  return delivery
}

function begin(delivery: RabbitDelivery, settlement: Settlement): Batch {
  const { origin } = delivery
  if (delivery.settlement) return delivery.settlement
  if (settlement.kind === 'retry' || settlement.kind === 'move')
    throw new RedriveError('unsupported', `RabbitMQ has no ${settlement.kind}: send a copy, then complete.`)
  if (settlement.kind === 'release') return giveBack(delivery)
  origin.settled()
  return settlement.kind === 'complete' ? origin.ledger.ack(delivery) : origin.ledger.nack(delivery, false)
}
