import amqp from 'amqp-connection-manager'
import type { ConsumeMessage } from 'amqplib'
import { letterHeaders } from './letter-headers.ts'
import type { Consume } from './task.ts'

/** It has neither retries nor dead letters: those are written by hand on its ChannelWrapper, confirmed and mandatory. */
export const consume: Consume = async (task, progress) => {
  const connection = amqp.connect([task.url], { connectionOptions: { noDelay: true } })
  const channel = connection.createChannel({ confirm: true })
  await channel.waitForConnect()

  async function receive(message: ConsumeMessage): Promise<void> {
    JSON.parse(message.content.toString())
    progress.began()
    const attempt = (message.properties.headers?.['attempt'] as number | undefined) ?? 1
    try {
      await handle(attempt)
    } catch (error) {
      if (task.work === 'retry-in-place') await handle(2)
      else if (task.work === 'retry') {
        await copy(message, task.queue, { attempt: 2 })
        channel.ack(message)
        return
      } else await copy(message, task.deadLetters, letterHeaders(message, task, error as Error))
    }
    channel.ack(message)
    progress.handled()
  }

  async function handle(attempt: number): Promise<void> {
    if (task.work === 'dead-letter' || (task.work !== 'succeed' && attempt === 1)) throw new Error('the first attempt fails')
  }

  async function copy({ content, properties }: ConsumeMessage, queue: string, headers: object): Promise<void> {
    const options = { ...properties, headers: { ...properties.headers, ...headers }, persistent: true, mandatory: true }
    await channel.sendToQueue(queue, content, options)
  }

  await channel.consume(task.queue, (message) => void receive(message), { prefetch: task.prefetch })
  return {
    async settled() {
      await channel.cancelAll()
    },
    close: () => connection.close(),
  }
}
