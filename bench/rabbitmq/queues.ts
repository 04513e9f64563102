import amqp from 'amqplib'
import { createVhost, type Vhost } from '../../test/brokers/rabbitmq.ts'
import { orderMessage } from '../payload.ts'

/** The queues of one run, in a virtual host of their own, as a client sees them that knows nothing of the contenders. */
export interface Queues {
  readonly url: string
  /** How many messages are ready in the queue. */
  count(queue: string): Promise<number>
  remove(): Promise<void>
}

export const workQueue = 'bench.order'
export const deadLetterQueue = 'bench.order.dead'

export const workArguments: Readonly<Record<QueueType, Readonly<Record<string, unknown>>>> = {
  quorum: {
    'x-queue-type': 'quorum',
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': deadLetterQueue,
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
    'x-delivery-limit': 100,
  },
  classic: { 'x-queue-type': 'classic', 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': deadLetterQueue },
}
export const deadLetterArguments: typeof workArguments = {
  quorum: { 'x-queue-type': 'quorum', 'x-delivery-limit': -1 },
  classic: { 'x-queue-type': 'classic' },
}

type QueueType = 'quorum' | 'classic'

/** Declares both queues and fills one with persistent, confirmed messages. */
export async function fillQueues(queueType: QueueType, messages: number): Promise<Queues> {
  const vhost = await createVhost(brokerOfBench())
  await declare(vhost, queueType)
  await fill(vhost.url, messages)
  return {
    url: vhost.url,
    count: (queue) => vhost.barely(async (channel) => (await channel.checkQueue(queue)).messageCount),
    remove: () => vhost.remove(),
  }
}

/** The broker that the parent process started for all contenders. */
export function brokerOfBench(): { readonly url: string; readonly managementUrl: string } {
  const [url, managementUrl] = [process.env['REDRIVE_BENCH_RABBITMQ'], process.env['REDRIVE_BENCH_RABBITMQ_MANAGEMENT']]
  if (url === undefined || managementUrl === undefined)
    throw new Error('The process that runs the benchmark has started no broker.')
  return { url, managementUrl }
}

async function declare(vhost: Vhost, queueType: QueueType): Promise<void> {
  await vhost.barely(async (channel) => {
    await channel.assertQueue(workQueue, { durable: true, arguments: workArguments[queueType] })
    await channel.assertQueue(deadLetterQueue, { durable: true, arguments: deadLetterArguments[queueType] })
  })
}

/** Persistent and confirmed, a thousand at a time. */
export async function fill(url: string, messages: number, queue: string = workQueue): Promise<void> {
  const connection = await amqp.connect(url, { noDelay: true })
  const channel = await connection.createConfirmChannel()
  for (let sent = 0; sent < messages; ) {
    for (const until = Math.min(messages, sent + 1000); sent < until; sent++) {
      const { id, type, contentType, body } = orderMessage(sent)
      const options = { persistent: true, messageId: id, type, contentType }
      channel.sendToQueue(queue, Buffer.from(body ?? ''), options as amqp.Options.Publish)
    }
    await channel.waitForConfirms()
  }
  await connection.close()
}
