import amqp, { type Channel, type ConfirmChannel, type ConsumeMessage } from 'amqplib'
import { letterHeaders } from './letter-headers.ts'
import type { Consume, Task } from './task.ts'

/** Acknowledges each message by itself. */
export const consumeSingle: Consume = (task, progress) => consume(task, progress, singleAcks)
/** Acknowledges in ranges, and never a message that is not done. */
export const consumeMultiple: Consume = (task, progress) => consume(task, progress, rangedAcks)

type Acks = (channel: Channel) => (message: ConsumeMessage) => void

/** What a careful engineer writes on amqplib: parse, handle, and acknowledge only what is done; a copy is confirmed first. */
const consume = async (task: Task, progress: Parameters<Consume>[1], acks: Acks): ReturnType<Consume> => {
  const connection = await amqp.connect(task.url, { noDelay: true })
  const channel = await connection.createChannel()
  const ack = acks(channel)
  const publish = confirmedPublish(await connection.createConfirmChannel())
  await channel.prefetch(task.prefetch)

  async function receive(message: ConsumeMessage): Promise<void> {
    progress.began()
    try {
      await handle(message, task, attemptOf(message))
    } catch (error) {
      if (task.work === 'retry-in-place') await handle(message, task, 2)
      else if (task.work === 'retry') {
        await publish(task.queue, message, { attempt: 2 })
        ack(message)
        return
      } else await publish(task.deadLetters, message, letterHeaders(message, task, error as Error))
    }
    ack(message)
    progress.handled()
  }

  const { consumerTag } = await channel.consume(task.queue, (message) => {
    if (message) void receive(message)
  })
  return {
    async settled() {
      await new Promise((resolve) => setImmediate(resolve))
      await channel.cancel(consumerTag)
    },
    close: () => connection.close(),
  }
}

/** A body that is no JSON fails like anything else, and ends nobody's process. */
async function handle({ content }: ConsumeMessage, { work }: Task, attempt: number): Promise<void> {
  JSON.parse(content.toString())
  if (work === 'dead-letter' || (work !== 'succeed' && attempt === 1)) throw new Error('the first attempt fails')
}

function attemptOf({ properties }: ConsumeMessage): number {
  return (properties.headers?.['attempt'] as number | undefined) ?? 1
}

/** Resolves when the broker has the message and had a queue for it: one that it returns it confirms as well, but later. */
function confirmedPublish(channel: ConfirmChannel): (queue: string, message: ConsumeMessage, headers: object) => Promise<void> {
  const returned = new Set<string>()
  channel.on('return', ({ properties }) => returned.add(properties.messageId))
  return (queue, { content, properties }, headers) =>
    new Promise((resolve, reject) => {
      const options = { ...properties, headers: { ...properties.headers, ...headers }, persistent: true, mandatory: true }
      channel.publish('', queue, content, options, (error) => {
        if (error || returned.delete(properties.messageId)) reject(error ?? new Error('returned'))
        else resolve()
      })
    })
}

function singleAcks(channel: Channel): (message: ConsumeMessage) => void {
  return (message) => channel.ack(message)
}

function rangedAcks(channel: Channel): (message: ConsumeMessage) => void {
  const ahead = new Map<number, ConsumeMessage>()
  let next = 1
  let last: ConsumeMessage | undefined
  function flush(): void {
    if (last) channel.ack(last, true)
    last = undefined
  }
  return (message) => {
    ahead.set(message.fields.deliveryTag, message)
    for (let ready = ahead.get(next); ready; ready = ahead.get(next)) {
      ahead.delete(next++)
      if (!last) setImmediate(flush)
      last = ready
    }
  }
}
