import { type MessageView, Producer, SimpleConsumer } from 'rocketmq-client-nodejs'
import { letterByHand } from '../letter-by-hand.ts'
import { channels, inHand, type Library, type Task } from '../library.ts'
import type { Order } from '../payload.ts'
import { fillTopics, groupOf, lettersIn, mostInOne, pollers } from './topics.ts'

const quiet = (): void => {}
/** Otherwise it writes to a file in the home folder. */
const logger = { info: quiet, warn: quiet, error: quiet, debug: quiet }
const hold = 30_000
/** By default three seconds, in which a busy machine may not answer. */
const requestTimeout = 60_000

/**
 * What a careful engineer writes on RocketMQ's own client for Node: several polls at a time, whose messages are parsed, handled and acknowledged
 * while the next ones are on their way; the client acknowledges one at a time. Letters are sent first. It extends no hold, waits for
 * no retry, and knows nothing of what came twice.
 */
export const library: Library = {
  fill: fillTopics,
  letters: lettersIn,
  async consume(task, progress) {
    const consumer = await startConsumer(task)
    const producer = task.work === 'dead-letter' ? await startProducer(task) : undefined
    const settling = new Set<Promise<void>>()
    let isClosed = false

    async function handle(message: MessageView): Promise<void> {
      progress.began()
      orderIn(message)
      progress.handled()
      if (task.work === 'dead-letter') throw new Error('this one never works')
    }

    async function handleAndSettle(message: MessageView): Promise<void> {
      try {
        await handle(message)
      } catch (error) {
        await producer?.send(letterOf(message, task, error as Error))
      }
      await consumer.ack(message)
    }

    function keep(promise: Promise<void>): void {
      settling.add(promise)
      void promise.then(() => settling.delete(promise))
    }

    async function poll(): Promise<void> {
      while (!isClosed) {
        while (settling.size >= inHand) await Promise.race(settling)
        for (const message of await consumer.receive(mostInOne, hold)) keep(handleAndSettle(message))
      }
    }

    const polling = Array.from({ length: pollers }, poll)
    return {
      async settled() {
        // What was handled last is settled in this turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve))
        await Promise.all(settling)
      },
      async close() {
        isClosed = true
        await Promise.all(polling)
        await producer?.shutdown()
        await consumer.shutdown()
      },
    }
  },
}

type Connection = Pick<ConstructorParameters<typeof Producer>[0], 'endpoints' | 'namespace' | 'logger' | 'requestTimeout'>

function connection({ url }: Task): Connection {
  return { endpoints: new URL(url).host, namespace: '', logger, requestTimeout }
}

async function startConsumer(task: Task): Promise<SimpleConsumer> {
  const subscriptions = new Map([[task.prefix + channels.work, '*']])
  const consumer = new SimpleConsumer({
    ...connection(task),
    consumerGroup: groupOf(task),
    subscriptions,
    awaitDuration: 1000,
  })
  await consumer.startup()
  return consumer
}

async function startProducer(task: Task): Promise<Producer> {
  const producer = new Producer({ ...connection(task), topics: [task.prefix + channels.deadLetters] })
  await producer.startup()
  return producer
}

function letterOf(
  { body, properties, tag, keys, messageId, deliveryAttempt }: MessageView,
  { prefix }: Task,
  error: Error,
): Parameters<Producer['send']>[0] {
  const attempts = deliveryAttempt ?? 1
  const told = letterByHand(error, { id: messageId, channel: channels.work, attempts, deliveries: attempts })
  return {
    topic: prefix + channels.deadLetters,
    body,
    keys,
    properties: new Map([...properties, ...Object.entries(told)]),
    ...(tag !== undefined && { tag }),
  }
}

function orderIn({ body }: MessageView): Order {
  return JSON.parse(String(body))
}
