import { describe, expect, test } from 'vitest'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { until } from '../until.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost, type Vhost } from './rabbitmq.ts'
import { filledQueue } from './rabbitmq-filled-queue.ts'
import { rabbitmqVersions } from './rabbitmq-subjects.ts'

/**
 * What a consumer gives back counts in a quorum queue as a delivery that nobody answered. Given back one by one while the broker still
 * sends, it comes again at once, and counts again, until it looks like poison to the next consumer.
 */
const Job = defineMessage('job')
const messages = 1000

/** Tells how many were completed. */
async function stopAmid(vhost: Vhost, work: string): Promise<number> {
  const transport = rabbitmq({ url: vhost.url })
  const consumer = createConsumer({ transport, service: 'tests', logger: false })
  const some = Promise.withResolvers<void>()
  let [begun, completed] = [0, 0]
  consumer.on('completed', () => completed++)
  consumer.channel(work, { deadLetter: `${work}.dead`, concurrency: 20, prefetch: 200 }).on(Job, async () => {
    if (++begun === 20) some.resolve()
    await new Promise((resolve) => setImmediate(resolve))
  })
  await consumer.start()
  await some.promise
  await consumer.stop()
  await transport.close()
  return completed
}

/** What is still in the queue, once everything is back that must be, and the most that one of them counts. */
function drained(vhost: Vhost, work: string, atLeast: number): Promise<{ readonly left: number; readonly highestCount: number }> {
  return vhost.barely(async (channel) => {
    let messageCount = 0
    await until('what was given back is in the queue', async () => {
      messageCount = (await channel.checkQueue(work)).messageCount
      return messageCount >= atLeast
    })
    const all = Promise.withResolvers<void>()
    let [seen, highest] = [0, 0]
    await channel.consume(work, (message) => {
      if (!message) return
      highest = Math.max(highest, Number(message.properties.headers?.['x-delivery-count'] ?? 0))
      channel.ack(message)
      if (++seen === messageCount) all.resolve()
    })
    if (messageCount > 0) await all.promise
    return { left: seen, highestCount: highest }
  })
}

/** Gives back what comes while the broker still sends. */
function stopCarelessly(vhost: Vhost, work: string): Promise<void> {
  return vhost.barely(async (channel) => {
    const enough = Promise.withResolvers<void>()
    let seen = 0
    await channel.prefetch(20)
    const { consumerTag } = await channel.consume(work, (message) => {
      if (message) channel.nack(message, false, true)
      if (++seen === 100) enough.resolve()
    })
    await enough.promise
    await channel.cancel(consumerTag)
  })
}

await onBrokers('rabbitmq', rabbitmqVersions, async (broker, version) => {
  const vhost = await createVhost(broker)
  describe(`on a quorum queue of RabbitMQ ${version}`, { timeout: 300_000 }, () => {
    test('however many consumers stop, no message counts more than twice, and none is lost', async () => {
      await filledQueue(vhost, 'stopping', messages)
      const completed = await Promise.all(Array.from({ length: 6 }, () => stopAmid(vhost, 'stopping')))
      const done = completed.reduce((sum, each) => sum + each, 0)
      const { left, highestCount } = await drained(vhost, 'stopping', messages - done)
      expect(highestCount).toBeLessThanOrEqual(2)
      expect(done + left).toBeGreaterThanOrEqual(messages)
    })

    test('a message counts more often when it is given back while the broker still sends', async () => {
      await filledQueue(vhost, 'careless', messages)
      await stopCarelessly(vhost, 'careless')
      expect((await drained(vhost, 'careless', messages)).highestCount).toBeGreaterThan(2)
    })
  })
})
