import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { RetryableError } from '../../src/core/tagged-errors.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { createProducer } from '../../src/runtime/producer.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { recoverOrders } from '../control/recovery-story.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost, leastUser } from './rabbitmq.ts'
import { rabbitmqVersions } from './rabbitmq-subjects.ts'

const channel = 'order.placed'
const own = [channel, `dlq.${channel}`]

await onBrokers('rabbitmq', rabbitmqVersions, (broker, version) => {
  describe(`with the least rights of docs/rabbitmq.md, on RabbitMQ ${version}`, { timeout: 360_000 }, () => {
    test('a consumer makes its queues, retries after a delay and dead-letters', async () => {
      const vhost = await createVhost(broker)
      const { url } = await leastUser(vhost, broker, { own })
      const transport = rabbitmq({ url })
      const consumer = createConsumer({ transport, service: 'orders', logger: false })
      let runs = 0
      consumer.channel(channel, { deadLetter: `dlq.${channel}`, breaker: false }).on(
        defineMessage(channel),
        async () => {
          runs++
          throw new RetryableError('the warehouse is away')
        },
        { retry: { immediate: 0, delayed: { retries: 1, backoff: { first: '100ms' } } } },
      )
      await consumer.start()
      onTestFinished(async () => {
        await consumer.stop()
        await transport.close()
      })
      await createProducer({ transport }).send(defineMessage(channel), {})
      const letters = async (): Promise<void> =>
        expect(await transport.measure({ name: `dlq.${channel}` })).toMatchObject({ retained: 1 })
      await vi.waitFor(letters, { timeout: 120_000, interval: 100 })
      expect(runs).toBe(2)
    })

    test('a control plane that may only read letters and write to the default exchange collects, edits and replays', async () => {
      const vhost = await createVhost(broker)
      const permissions = { configure: '^$', write: '^amq\\.default$', read: `^dlq\\.order\\.placed$` }
      const [consumers, plane] = [await leastUser(vhost, broker, { own }), await leastUser(vhost, broker, { own, permissions })]
      const [theirs, ours] = [rabbitmq({ url: consumers.url }), rabbitmq(plane)]
      onTestFinished(async () => {
        await theirs.close()
        await ours.close()
      })
      await recoverOrders({ theirs, ours, channel })
    })
  })
})
