import { onTestFinished, test } from 'vitest'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { recoverOrders } from '../control/recovery-story.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost } from './rabbitmq.ts'
import { rabbitmqVersions } from './rabbitmq-subjects.ts'

await onBrokers('rabbitmq', rabbitmqVersions, (broker, version) => {
  test(`publish, fail, letter, trace, edit, replay, processed: on RabbitMQ ${version}`, { timeout: 360_000 }, async () => {
    const vhost = await createVhost(broker)
    const [theirs, ours] = [rabbitmq({ url: vhost.url }), rabbitmq({ url: vhost.url, management: vhost.management })]
    onTestFinished(async () => {
      await theirs.close()
      await ours.close()
    })
    await recoverOrders({ theirs, ours, channel: 'order.placed' })
  })
})
