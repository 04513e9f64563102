import type { Message as WireMessage } from 'rocketmq-client-nodejs/proto/apache/rocketmq/v2/definition_pb.js'
import { hasCode, RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Address, Receipt, SendOptions } from '../seam.ts'
import { proxyError } from './answers.ts'
import { askRoute, type Gateway } from './gateway.ts'
import { toOutgoing } from './message.ts'
import { groupsForKeyless, messageGroupOf } from './message-group.ts'
import { topicOf } from './names.ts'
import type { Settings } from './options.ts'

export type Send = (address: Address, message: Message, options?: SendOptions) => Promise<Receipt>

/** The timer of the broker ticks once a second, and may be early by one tick. Milliseconds. */
const tick = 1_000
const ok = 20_000

/** What the proxy knows a sender by that has said nothing about itself. */
const client = 'redrive-sender'

export interface Sending {
  gateway(): Gateway
  /** Every group that reads a topic. */
  groupsReading(topic: string): Promise<readonly string[]>
}

export function createSend({ gateway, groupsReading }: Sending, settings: Settings, capabilities: Capabilities): Send {
  const { topics, clock, newId } = settings
  const keyless = createRotation(gateway)

  async function groupFor(topic: string, { key }: Message): Promise<string> {
    return key === undefined ? keyless(topic) : messageGroupOf(key)
  }

  async function wireMessage(topic: string, message: Message, delay: number): Promise<WireMessage> {
    const { definition, Timestamp } = gateway().library
    const { body, properties, tag, keys } = toOutgoing(message, capabilities.messages, topics === 'fifo')
    const about = new definition.SystemProperties()
      .setMessageId(`01${newId().replaceAll('-', '').toUpperCase()}`)
      .setKeysList([...keys])
      .setBodyEncoding(definition.Encoding.IDENTITY)
      .setBornTimestamp(Timestamp.fromDate(new Date(clock.now())))
      .setBornHost('redrive')
      .setMessageType(definition.MessageType[topics.toUpperCase() as 'NORMAL'])
    if (tag !== undefined) about.setTag(tag)
    if (topics === 'fifo') about.setMessageGroup(await groupFor(topic, message))
    if (topics === 'delay') about.setDeliveryTimestamp(Timestamp.fromDate(new Date(clock.now() + (delay > 0 ? delay + tick : 0))))
    const wire = new definition.Message().setTopic(gateway().resource(topic)).setBody(body).setSystemProperties(about)
    for (const [name, value] of properties) wire.getUserPropertiesMap().set(name, value)
    return wire
  }

  /** Of a topic that does not exist the proxy says that it takes no such messages. */
  async function explain(topic: string, error: unknown): Promise<never> {
    if (hasCode(error, 'bad-message')) await askRoute(gateway(), topic)
    throw error
  }

  /** What is sent to a topic is for all of its groups: where there is no other, that is this group alone. */
  async function checkAlone(address: Address): Promise<void> {
    const others = (await groupsReading(topicOf(address))).filter((group) => group !== address.group)
    if (others.length > 0) throw onlyForAll(address, others)
  }

  return async function send(address, message, { delay = 0 } = {}) {
    if (address.group !== undefined) await checkAlone(address)
    if (delay > capabilities.delayedSend) throw cannotWait(delay, capabilities.delayedSend)
    const wire = await wireMessage(topicOf(address), message, delay)
    const request = new (gateway().library.service.SendMessageRequest)().setMessagesList([wire])
    const answer = await gateway()
      .ask('sendMessage', request, client)
      .catch((error) => explain(topicOf(address), error))
    const [result] = answer.getEntriesList()
    const code: number = result?.getStatus()?.getCode() ?? ok
    if (code !== ok) throw proxyError(code)
    return { ...positionOf(wire), duplicate: false }
  }
}

function positionOf(wire: WireMessage): { readonly position?: string } {
  const position = wire.getSystemProperties()?.getMessageId()
  return position === undefined ? {} : { position }
}

interface Rotation {
  readonly names: readonly string[]
  next: number
}

/** Who sends without a key goes from queue to queue. How many a topic has is asked once, also by many at the same time. */
function createRotation(gateway: () => Gateway): (topic: string) => Promise<string> {
  const rotations = new Map<string, Promise<Rotation>>()

  async function look(topic: string): Promise<Rotation> {
    const queues = (await askRoute(gateway(), topic)).getMessageQueuesList().length
    return { names: groupsForKeyless(Math.max(1, queues)), next: 0 }
  }

  return async (topic) => {
    const asked = rotations.get(topic) ?? look(topic)
    rotations.set(topic, asked)
    asked.catch(() => rotations.delete(topic))
    const rotation = await asked
    return rotation.names[rotation.next++ % rotation.names.length] ?? ''
  }
}

function onlyForAll({ name, group }: Address, others: readonly string[]): RedriveError {
  const readers = `${others.slice(0, 3).join(', ')}${others.length > 3 ? ' and others' : ''}`
  return new RedriveError('unsupported', `What is sent to ${name} also reaches ${readers}, and cannot be for ${group} alone.`)
}

function cannotWait(delay: number, most: number): RedriveError {
  const what =
    most === 0 ? "Only topics: 'delay' can be sent something for later" : `RocketMQ delays a message for at most ${most} ms`
  return new RedriveError('unsupported', `${what}; ${delay} ms were asked for.`)
}
