import type { Channel, ConsumeMessage } from 'amqplib'
import { describe, expect, test } from 'vitest'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost, type Vhost } from './rabbitmq.ts'
import { filledQueue } from './rabbitmq-filled-queue.ts'
import { rabbitmqVersions } from './rabbitmq-subjects.ts'

/**
 * A consumer starts small and grows, which takes several consumers of the broker, and later puts them together. A message that is on
 * its way to one of them when it is cancelled comes again, counted, and looks as if somebody had died of it.
 */
const Job = defineMessage('job')
const messages = 3000

/** How many messages came more than once, by what our consumer tells. */
async function suspectsOfOurs(vhost: Vhost, work: string): Promise<number> {
  const transport = rabbitmq({ url: vhost.url })
  const consumer = createConsumer({ transport, service: 'tests', logger: false })
  const all = Promise.withResolvers<void>()
  let [completed, suspects] = [0, 0]
  consumer.on('completed', () => {
    if (++completed === messages) all.resolve()
  })
  consumer.on('suspect', () => suspects++)
  consumer.channel(work, { deadLetter: `${work}.dead`, concurrency: 200, prefetch: 200 }).on(Job, () => {})
  await consumer.start()
  await all.promise
  await consumer.stop()
  await transport.close()
  return suspects
}

/** Exchanges its consumer for another without waiting for what is on its way. */
async function redeliveriesWhenExchanged(channel: Channel, work: string): Promise<number> {
  const all = Promise.withResolvers<void>()
  const exchanges: Promise<void>[] = []
  let [seen, redelivered] = [0, 0]
  function receive(message: ConsumeMessage | null): void {
    if (!message) return
    if (message.fields.redelivered) redelivered++
    channel.ack(message)
    if (++seen === messages) all.resolve()
    else if (seen % 500 === 0) exchanges.push(exchange(message.fields.consumerTag))
  }
  async function exchange(tag: string): Promise<void> {
    await channel.cancel(tag)
    await channel.consume(work, receive)
  }
  await channel.prefetch(200)
  await channel.consume(work, receive)
  await all.promise
  await Promise.all(exchanges)
  return redelivered
}

await onBrokers('rabbitmq', rabbitmqVersions, async (broker, version) => {
  const vhost = await createVhost(broker)
  describe(`on a quorum queue of RabbitMQ ${version}`, { timeout: 300_000 }, () => {
    test('no message comes twice because a consumer grew and put its credit together', async () => {
      await filledQueue(vhost, 'growing', messages)
      expect(await suspectsOfOurs(vhost, 'growing')).toBe(0)
    })

    test('messages come twice when a consumer is exchanged without waiting for what is on its way', async () => {
      await filledQueue(vhost, 'exchanged', messages)
      expect(await vhost.barely((channel) => redeliveriesWhenExchanged(channel, 'exchanged'))).toBeGreaterThan(0)
    })
  })
})
