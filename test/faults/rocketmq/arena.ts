import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { hasCode } from '../../../src/core/errors.ts'
import type { Message } from '../../../src/core/message.ts'
import { type RocketmqOptions, rocketmq } from '../../../src/transports/rocketmq/rocketmq.ts'
import { bareClient, type SeenMessage, throughPort } from '../../brokers/rocketmq.ts'
import { leftFor } from '../../brokers/rocketmq-left.ts'
import type { ServerArena } from '../harness/arena-rows.ts'
import { prefixed } from '../harness/prefixed.ts'
import { faultChannels } from '../messages.ts'
import type { FoundLetter } from '../subjects.ts'

export interface RocketmqConnection {
  readonly options: RocketmqOptions
  readonly prefix: string
}

export interface RocketmqArena extends ServerArena {
  /** Deletes the topic of a channel, or makes it anew; what was found there before is remembered. */
  deleteTopic(channel: string): Promise<void>
  createTopic(channel: string): Promise<void>
}

let arenas = 0
const queues = 16

/** A group and a prefix of its own. The observer is a bare client, so that it shares no code with what it observes. */
export async function rocketmqArena(broker: Broker, topics: 'normal' | 'fifo'): Promise<RocketmqArena> {
  const name = `faults-${process.pid}-${++arenas}`
  const prefix = `${name}-`
  const connection = (url: string, rest: Partial<RocketmqOptions> = {}): string => {
    const options: RocketmqOptions = { url, topics, group: name, queues, pollFor: '500ms', ...rest }
    return JSON.stringify({ options, prefix } satisfies RocketmqConnection)
  }
  const folder = mkdtempSync(join(tmpdir(), 'redrive-faults-'))
  const transport = openRocketmq(connection(broker.url))
  const { work, deadLetter, invalid } = faultChannels
  const channels = [
    { address: { name: deadLetter }, role: 'dead-letter' },
    { address: { name: invalid }, role: 'invalid' },
    { address: { name: work }, role: 'work', deadLetterTo: { name: deadLetter }, lanes: topics === 'fifo' },
  ] as const
  await transport.provision({ channels }, 'apply')
  const observer = bareClient(broker.url)
  const remembered = new Map<string, readonly SeenMessage[]>()
  const topicOf = (channel: string): string => prefix + channel.replaceAll('.', '-')

  /** Of a send that broke off nobody knows: it is sent again, and may be there twice. */
  async function sendSurely(message: Message): Promise<void> {
    for (;;) {
      try {
        await transport.send({ name: work }, message)
        return
      } catch (error) {
        if (!hasCode(error, 'unsure')) throw error
      }
    }
  }

  const left = topics === 'fifo' ? () => observer.lag(topicOf(work), name) : await leftFor(observer, topicOf(work), name)

  /** What was acknowledged stays in the log; of what is held on a topic without order only `left` knows. */
  async function unread(channel: string): Promise<readonly SeenMessage[]> {
    return observer.readOn(topicOf(channel), await observer.doneBy(topicOf(channel), name))
  }

  /** Nobody acknowledges anything in the graves: looking at the end sees everything that ever came. */
  async function everythingIn(channel: string): Promise<readonly SeenMessage[]> {
    return [...(remembered.get(channel) ?? []), ...(await observer.messagesIn(topicOf(channel)))]
  }

  return {
    connection: connection(broker.url),
    connectionBy: (port) => connection(throughPort(broker.url, port), { answerWithin: '3s' }),
    folder,
    hold: 6000,
    async send(messages) {
      const lanes = Map.groupBy(messages, ({ key, id }) => String(key ?? id))
      await Promise.all(
        [...lanes.values()].map(async (lane) => {
          for (const message of lane) await sendSurely(message)
        }),
      )
    },
    left,
    bodies: async (channel) => (await (channel === work ? unread : everythingIn)(channel)).map(({ body }) => body),
    letters: async (channel) => (await everythingIn(channel)).map(letterIn),
    async deleteTopic(channel) {
      remembered.set(channel, await everythingIn(channel))
      await observer.deleteTopic(topicOf(channel))
    },
    createTopic: (channel) => observer.createTopic(topicOf(channel), topics.toUpperCase(), queues),
    async close() {
      await transport.close()
      rmSync(folder, { recursive: true })
    },
  }
}

export function openRocketmq(connection: string): ReturnType<typeof prefixed> {
  const { options, prefix } = JSON.parse(connection) as RocketmqConnection
  return prefixed(rocketmq(options), prefix)
}

/** The property `redrive` is a list in JSON whose seventh member holds the headers. */
function letterIn({ body, properties }: SeenMessage): FoundLetter {
  const envelope = JSON.parse(properties['redrive'] ?? '[]') as unknown[]
  const headers = (envelope[6] ?? []) as readonly [string, unknown][]
  const reason = headers.find(([name]) => name === 'redrive-reason')?.[1]
  return { body, ...(typeof reason === 'string' && { reason }) }
}
