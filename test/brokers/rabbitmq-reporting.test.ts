import { onTestFinished, test } from 'vitest'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import type { Stage } from '../control/recovery-story.ts'
import { pauseAndResume, replayUntilReported } from '../control/reporting-story.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost } from './rabbitmq.ts'
import { rabbitmqVersions } from './rabbitmq-subjects.ts'

await onBrokers('rabbitmq', rabbitmqVersions, (broker, version) => {
  async function stage(): Promise<Stage> {
    const { url } = await createVhost(broker)
    const [theirs, ours] = [rabbitmq({ url }), rabbitmq({ url })]
    onTestFinished(async () => {
      await theirs.close()
      await ours.close()
    })
    return { theirs, ours, channel: 'order.placed' }
  }

  test(
    `publish, fail, letter, fix, replay: the consumer reports that each succeeded, on RabbitMQ ${version}`,
    {
      timeout: 360_000,
    },
    async () => replayUntilReported(await stage()),
  )

  test(
    `an operator pauses a channel over the API and resumes it, and nothing is lost or dead-lettered, on RabbitMQ ${version}`,
    {
      timeout: 360_000,
    },
    async () => pauseAndResume(await stage()),
  )
})
