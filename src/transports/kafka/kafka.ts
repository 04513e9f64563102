import { RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import type { Address, Receipt, Transport } from '../seam.ts'
import { browse } from './browse.ts'
import { kafkaCapabilities } from './capabilities.ts'
import { type Cluster, createCluster } from './cluster.ts'
import { measure } from './measure.ts'
import { transportName } from './message.ts'
import { toRecord } from './new-record.ts'
import { type KafkaOptions, resolveOptions, type SaslOptions, type Settings } from './options.ts'
import { provision } from './provision.ts'
import { type GroupAddress, type KafkaReceiver, openReceiver, settleDelivery } from './receiver.ts'
import { levelFor, type RetryLevel, retryLevels, retryTopic } from './retry-topics.ts'
import { createProducing } from './send.ts'
import { createRetention } from './topic-settings.ts'

export type { KafkaOptions, SaslOptions }

/**
 * Kafka 2.8 and later. An address names a topic; its group, or the one that the options name, is the consumer group.
 *
 * Nothing is connected before the first call. Offsets are committed with notes (see `commit-notes.ts`), so deliveries are settled in
 * any order, a crash tells who was in hand, and a record may wait in its place.
 */
export function kafka(options: KafkaOptions): Transport {
  const settings = resolveOptions(options)
  const { clock } = settings
  const capabilities = kafkaCapabilities(settings.maxBody)
  const receivers = new Set<KafkaReceiver>()
  /** By topic and group: which levels of delay have a topic. */
  const levels = new Map<string, Promise<readonly RetryLevel[]>>()
  /** What was sent before a close is written before it, also where its retry topic has to be found first. */
  const delayed = new Set<Promise<Receipt>>()
  let opened: { readonly cluster: Cluster; readonly producing: ReturnType<typeof createProducing> } | undefined
  let closing: Promise<void> | undefined

  function open(): NonNullable<typeof opened> {
    if (closing) throw new RedriveError('closed', 'The Kafka transport is closed.')
    if (!opened) {
      const cluster = createCluster(settings)
      opened = { cluster, producing: createProducing(cluster, settings) }
    }
    return opened
  }

  const retention = createRetention(() => open().cluster, settings.clock)

  async function closeAll(): Promise<void> {
    await Promise.allSettled(delayed)
    await opened?.producing.settled()
    await Promise.allSettled([...receivers].map((receiver) => receiver.end()))
    await opened?.cluster.close()
  }

  return {
    name: transportName,
    capabilities,
    deadLetterFor: (group) => settings.deadLetterTopic ?? defaultDeadLetter(group ?? settings.groupId),

    async provision(wanted, mode) {
      const { cluster } = open()
      for (const { address } of wanted.channels) topicOf(address)
      levels.clear()
      return provision(cluster, settings, wanted, mode)
    },

    async receive(address) {
      const { cluster } = open()
      const from = withGroup(address, settings)
      await cluster.topic(from.name, true)
      const retries = await retryTopics(cluster, from)
      const topics = [from.name, ...retries.map((level) => retryTopic(from.name, from.group, level))]
      const receiver = await openReceiver(cluster, settings, from, topics)
      if (closing) await receiver.end()
      open()
      receivers.add(receiver)
      receiver.lost.addEventListener('abort', () => receivers.delete(receiver), { once: true })
      return receiver
    },

    async extend(delivery) {
      open()
      if (delivery.hold.signal.aborted) throw delivery.hold.signal.reason
      return Number.POSITIVE_INFINITY
    },

    // Whatever is settled is in the books at once, and the last word on a partition tells it: a close need not wait for it.
    // Not an async function: it is the path of every message, which would pay for two promises more.
    settle(delivery, settlement) {
      try {
        open()
        return settleDelivery(delivery, settlement)
      } catch (error) {
        return Promise.reject(error)
      }
    },

    send(address, message, { delay = 0 } = {}) {
      try {
        return send(address, message, delay)
      } catch (error) {
        return Promise.reject(error)
      }
    },

    async browse(address, page) {
      return browse(open().cluster, topicOf(address), page)
    },

    async remove() {
      open()
      throw new RedriveError('unsupported', 'A log cannot remove one record.')
    },

    async measure(address) {
      const { cluster } = open()
      const group = address.group ?? settings.groupId
      const { name } = await cluster.topic(topicOf(address), true)
      const retries = group === undefined ? [] : await retryTopics(cluster, { name, group })
      const topics = [name, ...retries.map((level) => retryTopic(name, group ?? '', level))]
      const [measured, keepsFor] = await Promise.all([measure(cluster, topics, group), retention(name)])
      return { ...measured, ...(keepsFor !== undefined && { keepsFor }) }
    },

    close() {
      closing ??= closeAll()
      return closing
    },
  }

  function send(address: Address, message: Message, delay: number): Promise<Receipt> {
    const { cluster, producing } = open()
    if (delay > capabilities.delayedSend)
      throw new RedriveError('unsupported', `Kafka can delay by at most ${capabilities.delayedSend} ms.`)
    const due = delay > 0 ? clock.now() + delay : undefined
    const record = toRecord(message, due, capabilities.messages)
    if (address.group === undefined && delay === 0) return producing.send(topicOf(address), record)
    const sending = retryDestination(cluster, address, delay).then((topic) => producing.send(topic, record))
    delayed.add(sending)
    const forget = (): void => void delayed.delete(sending)
    sending.then(forget, forget)
    return sending.catch(forgetLevels)
  }

  /** The retry topic of the one group that is to have it. */
  async function retryDestination(cluster: Cluster, address: Address, delay: number): Promise<string> {
    const { name, group } = withGroup(address, settings)
    const known = levels.get(`${name} ${group}`) ?? retryTopics(cluster, { name, group })
    levels.set(`${name} ${group}`, known)
    const level = levelFor(delay, await known.catch(forgetLevels))
    if (level) return retryTopic(name, group, level)
    levels.clear()
    throw new RedriveError(
      'unknown-channel',
      `Topic "${name}" has no retry topics for group "${group}": provision the channel with its group.`,
    )
  }

  function forgetLevels(error: unknown): never {
    levels.clear()
    throw error
  }

  /** Levels of which there is a topic. */
  async function retryTopics(cluster: Cluster, { name, group }: GroupAddress): Promise<readonly RetryLevel[]> {
    const names = retryLevels.map((level) => retryTopic(name, group, level))
    const there = new Set((await cluster.topics(names)).map((topic) => topic.name))
    return retryLevels.filter((level) => there.has(retryTopic(name, group, level)))
  }
}

/** Seed 003. */
function defaultDeadLetter(group: string | undefined): string | undefined {
  return group === undefined ? undefined : `${group}.dlq`
}

/** `part` is a word of another broker. */
function topicOf({ name, part }: Address): string {
  if (part === undefined) return name
  throw new RedriveError('unsupported', 'Kafka has no sub-queues: name the topic itself.')
}

function withGroup(address: Address, { groupId }: Settings): GroupAddress {
  const group = address.group ?? groupId
  if (group !== undefined) return { name: topicOf(address), group }
  throw new RedriveError(
    'bad-option',
    `Kafka needs a consumer group for "${address.name}": give the channel a group, or groupId.`,
  )
}
