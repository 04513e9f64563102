import type { Channel, Message } from 'amqplib'
import type { Vhost } from '../../brokers/rabbitmq.ts'
import { faultChannels, numberIn } from '../messages.ts'

/** A message that a bare client found in a queue. */
export interface Found {
  /** `undefined` where the bytes are not those of any message that was sent. */
  readonly number: number | undefined
  /** What our runtime says is the same for all copies of one letter. */
  readonly letter: string | undefined
  readonly reason: string | undefined
  readonly headerBytes: number
  /** All that it says, for whoever has to find out why it is here. */
  readonly headers: string
}

/** Counts and takes messages with a bare client; shares no code with what it observes. */
export interface Observer {
  /** Ready in the work queue and in the queues in which retries wait. */
  waiting(): Promise<number>
  /** Takes whatever there is. */
  take(queue: string): Promise<readonly Found[]>
  /** Takes whatever still has to be processed, from the longest delay down to the work queue, as messages travel. */
  takeUnfinished(): Promise<readonly Found[]>
}

export function createObserver(vhost: Vhost): Observer {
  async function unfinishedQueues(): Promise<readonly string[]> {
    const queues = (await vhost.manage('GET', `queues/${vhost.name}?columns=name`)) as readonly { readonly name: string }[]
    const delays = queues.map(({ name }) => name).filter((name) => /^redrive\.(delay\.\d+|orphans)$/.test(name))
    return [...delays.sort().reverse(), faultChannels.work]
  }

  return {
    async waiting() {
      const names = await unfinishedQueues()
      return vhost.barely(async (channel) => {
        const counts = await Promise.all(names.map((name) => channel.checkQueue(name)))
        return counts.reduce((sum, { messageCount }) => sum + messageCount, 0)
      })
    },
    take: (queue) => vhost.barely((channel) => takeAll(channel, queue)),
    async takeUnfinished() {
      const names = await unfinishedQueues()
      return vhost.barely(async (channel) => {
        const found: Found[] = []
        for (const name of [...names, ...names]) found.push(...(await takeAll(channel, name)))
        return found
      })
    },
  }
}

/** Getting messages one by one costs a quorum queue a write for each; a consumer does not. */
async function takeAll(channel: Channel, queue: string): Promise<readonly Found[]> {
  const found: Found[] = []
  for (;;) {
    const { messageCount } = await channel.checkQueue(queue)
    if (messageCount === 0) return found
    const enough = found.length + messageCount
    const { promise: came, resolve } = Promise.withResolvers<void>()
    channel.once('close', resolve)
    const { consumerTag } = await channel.consume(queue, (message) => {
      if (message) {
        found.push(foundIn(message))
        channel.ack(message)
      }
      if (message === null || found.length >= enough) resolve()
    })
    await came
    channel.off('close', resolve)
    await channel.cancel(consumerTag)
  }
}

function foundIn({ content, properties }: Message): Found {
  const headers: Record<string, unknown> = properties.headers ?? {}
  const written = JSON.stringify(headers)
  const textOf = (name: string): string | undefined => (typeof headers[name] === 'string' ? headers[name] : undefined)
  return {
    number: numberIn(content),
    letter: textOf('redrive-letter'),
    reason: textOf('redrive-reason'),
    headerBytes: Buffer.byteLength(written),
    headers: written,
  }
}
