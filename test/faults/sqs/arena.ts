import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message as SqsMessage } from '@aws-sdk/client-sqs'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { hasCode } from '../../../src/core/errors.ts'
import type { Message } from '../../../src/core/message.ts'
import { type SqsOptions, sqs } from '../../../src/transports/sqs/sqs.ts'
import { bareClient } from '../../brokers/sqs.ts'
import type { ServerArena } from '../harness/arena-rows.ts'
import { faultChannels } from '../messages.ts'
import type { FoundLetter } from '../subjects.ts'

export interface SqsArena extends ServerArena {
  /** Takes everything out of a channel, for good; what was found there is remembered. */
  drain(channel: string): Promise<void>
  /** Deletes the queue of a channel, or makes it anew. */
  deleteQueue(channel: string): Promise<void>
  createQueue(channel: string): Promise<void>
}

let arenas = 0

/** Queues of its own, by a prefix. The observer is a bare client, so that it shares no code with what it observes. */
export async function sqsArena(broker: Broker, queues: NonNullable<SqsOptions['queues']>): Promise<SqsArena> {
  const prefix = `faults-${process.pid}-${++arenas}-`
  const options: SqsOptions = { queues, prefix, pollFor: '1s' }
  const folder = mkdtempSync(join(tmpdir(), 'redrive-faults-'))
  const transport = sqs({ ...options, endpoint: broker.url })
  const { work, deadLetter, invalid } = faultChannels
  const channels = [
    { address: { name: deadLetter }, role: 'dead-letter' },
    { address: { name: invalid }, role: 'invalid' },
    { address: { name: work }, role: 'work', deadLetterTo: { name: deadLetter }, lanes: queues === 'fifo' },
  ] as const
  await transport.provision({ channels }, 'apply')
  const observer = bareClient(broker.url)
  const found = new Map<string, SqsMessage[]>()
  const queueOf = (channel: string): string => prefix + channel.replaceAll('.', '-') + (queues === 'fifo' ? '.fifo' : '')
  const urlOf = async (channel: string): Promise<string> =>
    (await observer.getQueueUrl({ QueueName: queueOf(channel) })).QueueUrl ?? ''

  /** A connection may be closed under a request: of that one nobody knows, so it is sent again. FIFO queues recognise it, others hold a duplicate. */
  async function sendSurely(message: Message): Promise<void> {
    const dedupId = { dedupId: message.id ?? '' }
    for (;;) {
      try {
        await transport.send({ name: work }, message, dedupId)
        return
      } catch (error) {
        if (!hasCode(error, 'unsure')) throw error
      }
    }
  }

  async function count(channel: string): Promise<number> {
    const states = ['', 'NotVisible', 'Delayed'].map((state) => `ApproximateNumberOfMessages${state}` as const)
    const AttributeNames = states as ('ApproximateNumberOfMessages' | 'ApproximateNumberOfMessagesDelayed')[]
    const { Attributes = {} } = await observer.getQueueAttributes({ QueueUrl: await urlOf(channel), AttributeNames })
    return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0)
  }

  async function drain(channel: string): Promise<void> {
    const messages = found.get(channel) ?? []
    found.set(channel, messages)
    const QueueUrl = await urlOf(channel)
    while ((await count(channel)) > 0) {
      const { Messages = [] } = await observer.receiveMessage({
        ...{ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, MessageAttributeNames: ['All'] },
      })
      messages.push(...Messages)
      const Entries = Messages.map(({ ReceiptHandle }, index) => ({ ReceiptHandle, Id: String(index) }))
      if (Entries.length > 0) await observer.deleteMessageBatch({ QueueUrl, Entries })
    }
  }

  async function everythingIn(channel: string): Promise<readonly SqsMessage[]> {
    await drain(channel)
    return found.get(channel) ?? []
  }

  return {
    connection: JSON.stringify({ ...options, endpoint: broker.url }),
    connectionBy: (port) => JSON.stringify({ ...options, endpoint: `http://127.0.0.1:${port}`, answerWithin: '3s' }),
    folder,
    // This server may take seconds to answer on a busy machine, and on a FIFO queue a hold that ends meanwhile is a turn.
    hold: 6000,
    async send(messages) {
      await Promise.all(messages.map(sendSurely))
    },
    left: () => count(work),
    bodies: async (channel) => (await everythingIn(channel)).map(({ Body = '' }) => Buffer.from(Body)),
    letters: async (channel) => (await everythingIn(channel)).map(letterIn),
    drain,
    async deleteQueue(channel) {
      await observer.deleteQueue({ QueueUrl: await urlOf(channel) })
    },
    async createQueue(channel) {
      await observer.createQueue({ QueueName: queueOf(channel), ...(queues === 'fifo' && { Attributes: { FifoQueue: 'true' } }) })
    },
    async close() {
      for (const channel of Object.values(faultChannels))
        await observer.deleteQueue({ QueueUrl: await urlOf(channel) }).catch(() => {})
      observer.destroy()
      await transport.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The attribute `redrive` is a list in JSON whose seventh member holds the headers. */
function letterIn({ Body = '', MessageAttributes = {} }: SqsMessage): FoundLetter {
  const envelope = JSON.parse(MessageAttributes['redrive']?.StringValue ?? '[]') as unknown[]
  const headers = (envelope[6] ?? []) as readonly [string, unknown][]
  const reason = headers.find(([name]) => name === 'redrive-reason')?.[1]
  return { body: Buffer.from(Body), ...(typeof reason === 'string' && { reason }) }
}
