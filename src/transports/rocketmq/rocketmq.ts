import type { Message as WireMessage } from 'rocketmq-client-nodejs/proto/apache/rocketmq/v2/definition_pb.js'
import { hasCode, RedriveError } from '../../core/errors.ts'
import { repeating } from '../leases/repeating.ts'
import type { Address, Settlement, Transport } from '../seam.ts'
import { createUnanswered } from '../unanswered.ts'
import { createHoldings } from '../visibility/holdings.ts'
import { createOwnPast } from '../visibility/own-past.ts'
import type { PollingReceiver } from '../visibility/receiver.ts'
import { createSettling, pastName } from '../visibility/settling.ts'
import { groupFacts, groupsReading } from './administration.ts'
import { browse } from './browse.ts'
import { longestHold, rocketmqCapabilities } from './capabilities.ts'
import { createCluster } from './cluster.ts'
import { type Held, heldOf } from './delivery.ts'
import { createDone } from './done.ts'
import { askRoute, createGateway, type Gateway } from './gateway.ts'
import { measure } from './measure.ts'
import { transportName } from './message.ts'
import { type Channel, channelOf, isBrokersOwn, placeOf } from './names.ts'
import { type RocketmqOptions, resolveOptions } from './options.ts'
import { tellOrigins } from './origins.ts'
import { provision } from './provision.ts'
import { receiveFrom } from './receive.ts'
import { createRemoting } from './remoting.ts'
import { createSend } from './send.ts'
import { createSession, type Subscription } from './session.ts'
import { createWaiting } from './waiting.ts'
import { createWrites } from './writes.ts'

export type { RocketmqOptions }

/** How often holds are looked at that may be over. Milliseconds. */
const lookEvery = 500

/**
 * Apache RocketMQ 5, through its gRPC proxy. All channels of one transport are topics of one type: normal, FIFO with message groups in
 * order, or delay. Nothing is opened before the first call.
 */
export function rocketmq(options: RocketmqOptions): Transport {
  const settings = resolveOptions(options)
  const { clock } = settings
  const capabilities = rocketmqCapabilities(settings.topics, settings.maxBody)
  const remoting = createRemoting(settings)
  const cluster = createCluster(remoting, settings)
  const past = createOwnPast(clock, undefined, true)
  const waiting = createWaiting(clock)
  const done = createDone()
  const holdings = createHoldings<Subscription>(clock, (held) => past.letGo(pastName(held), held.count, held))
  const subscriptions = new Map<string, Subscription>()
  const receivers = new Set<PollingReceiver<Subscription>>()
  const writes = createWrites(gateway, settings)
  const send = createSend({ gateway, groupsReading: (topic) => groupsReading(cluster, topic) }, settings, capabilities)
  const sends = createUnanswered()
  const watch = repeating(clock, lookEvery, holdings.loseOverdue)
  const settling = createSettling<Subscription>({
    ...{ clock, holdings, past, receivers, heldOf, checkOpen, writeFor, extendingChangesReceipt: true },
    hide: writes.hide,
  })
  let opened: Gateway | undefined
  let closing: Promise<void> | undefined

  function gateway(): Gateway {
    opened ??= createGateway(settings)
    return opened
  }

  function checkOpen(): void {
    if (closing) throw new RedriveError('closed', 'The RocketMQ transport is closed.')
  }

  function writeFor(held: Held, settlement: Settlement): () => Promise<void> {
    switch (settlement.kind) {
      case 'complete':
        return () => complete(held)
      case 'release':
        return () => goAway(held, 0, held)
      case 'retry':
        return retry(held, settlement)
      case 'reject':
        throw new RedriveError('unsupported', 'RocketMQ dead-letters by its own count alone: send the letter instead.')
      case 'move':
        throw new RedriveError('unsupported', 'RocketMQ moves nothing in one step: send it, then complete.')
    }
  }

  async function complete(held: Held): Promise<void> {
    await writes.complete(held)
    if (held.lane !== undefined) done.add(held)
  }

  /** Tells whether it was done before; then the broker is told once more. */
  function isDone(held: Held): boolean {
    if (!done.has(held)) return false
    writes.complete(held).catch(() => {})
    return true
  }

  function retry(held: Held, { delay, headers }: Extract<Settlement, { kind: 'retry' }>): () => Promise<void> {
    if (headers && headers.length > 0)
      throw new RedriveError('unsupported', 'RocketMQ changes no headers of a message that it has.')
    if (delay > capabilities.retry.maxDelay)
      throw new RedriveError('unsupported', `RocketMQ hides a message for at most ${longestHold} ms; ${delay} ms is more.`)
    return () => goAway(held, delay, { turns: held.turns + 1, suspect: false })
  }

  async function goAway(held: Held, delay: number, standing: Pick<Held, 'turns' | 'suspect'>): Promise<void> {
    await settling.giveBack(held, delay, standing)
    waiting.add(held, delay)
  }

  /** Everything that this process holds of a channel, or has hidden and not seen again. */
  function oursIn(channel: Channel): number {
    const place = placeOf(channel)
    return holdings.all().filter((held) => held.place === place).length + waiting.countOf(place)
  }

  /** Resolves when the proxy knows a topic that is new. */
  async function untilKnown(topic: string): Promise<void> {
    const deadline = clock.monotonic() + settings.answerWithin
    for (;;)
      try {
        await cluster.queuesOf(topic)
        await askRoute(gateway(), topic)
        return
      } catch (error) {
        const isSoon = hasCode(error, 'unknown-channel') || hasCode(error, 'refused')
        if (!isSoon || clock.monotonic() >= deadline) throw error
        await new Promise<void>((resolve) => clock.after(50, resolve))
      }
  }

  /** It outlives its receivers: what they gave out is settled by who received it. */
  function subscribe(channel: Channel): Subscription {
    const place = placeOf(channel)
    const known = subscriptions.get(place) ?? { ...channel, session: createSession(gateway(), settings, channel) }
    subscriptions.set(place, known)
    return known
  }

  function originsIn(channel: Channel): (messages: readonly WireMessage[]) => Promise<void> {
    if (!isBrokersOwn(channel.topic)) return async () => {}
    return (messages) => tellOrigins(cluster, gateway().library, channel, messages)
  }

  async function existing(address: Address): Promise<Channel> {
    const channel = channelOf(address, settings)
    const [place] = await cluster.queuesOf(channel.topic)
    if (place && !(await groupFacts(cluster, place.at, channel.group)))
      throw new RedriveError('unknown-channel', `${address.name} has no group ${channel.group}; provision first.`)
    return channel
  }

  async function closeAll(): Promise<void> {
    watch.stop()
    await Promise.all([...receivers].map((receiver) => receiver.close()))
    await Promise.all([settling.none(), sends.none()])
    await writes.idle()
    await settling.releaseAll(new RedriveError('closed', 'The RocketMQ transport was closed; what it held was released.'))
    await Promise.all([...subscriptions.values()].map(({ session }) => session.close()))
    remoting.close()
    opened?.close()
  }

  return {
    name: transportName,
    capabilities,
    brokersOwn: isBrokersOwn,

    async provision(wanted, mode) {
      checkOpen()
      return provision({ cluster, settings, untilKnown }, wanted, mode)
    },

    async receive(address, receiveOptions) {
      checkOpen()
      const subscription = subscribe(await existing(address))
      await subscription.session.ready()
      checkOpen()
      const receiver = receiveFrom({
        ...{ gateway: gateway(), settings, holdings, past, subscription, options: receiveOptions },
        // So that a letter names the group that gave its message up, also where the options alone name it.
        address: { ...address, group: subscription.group },
        ...{ release: settling.release, isDone, tellOrigins: originsIn(subscription) },
        onClose: (closed) => receivers.delete(closed),
      })
      receivers.add(receiver)
      watch.start()
      return receiver
    },

    extend: (delivery, ms) => settling.extend(delivery, ms, () => longestHold),

    settle: settling.settle,

    async send(address, message, sendOptions) {
      checkOpen()
      sends.began()
      return send(address, message, sendOptions).finally(sends.ended)
    },

    async browse(address, page) {
      checkOpen()
      return browse(cluster, channelOf(address, settings).topic, page)
    },

    async remove() {
      checkOpen()
      throw new RedriveError('unsupported', 'A log of RocketMQ is never rewritten: what was read stays until its time is over.')
    },

    async measure(address) {
      checkOpen()
      const channel = channelOf(address, settings)
      return measure(cluster, settings, channel, oursIn(channel))
    },

    close() {
      closing ??= closeAll()
      return closing
    },
  }
}
