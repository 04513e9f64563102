import type { Message } from 'amqplib'
import { takeAll, type Vhost } from '../../brokers/rabbitmq.ts'
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
    take: (queue) => vhost.barely(async (channel) => (await takeAll(channel, queue)).map(foundIn)),
    async takeUnfinished() {
      const names = await unfinishedQueues()
      return vhost.barely(async (channel) => {
        const found: Found[] = []
        for (const name of [...names, ...names]) found.push(...(await takeAll(channel, name)).map(foundIn))
        return found
      })
    },
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
