import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../measure.ts'
import { deadLetterArguments, deadLetterQueue, fill, workQueue } from '../rabbitmq/queues.ts'
import { createTarget, type Target } from './target.ts'

const look = 50

/** The broker's own plugin, which moves a queue into another: confirmed before it is acknowledged, and all in the broker's process. */
export const shovel: Contender = {
  name: 'shovel',
  async prepare(messages) {
    const target = await createTarget()
    await target.vhost.barely((channel) =>
      channel.assertQueue(deadLetterQueue, { durable: true, arguments: deadLetterArguments.quorum }),
    )
    await fill(target.vhost.url, messages, deadLetterQueue)
    return {
      async run(begin) {
        begin()
        await dig(target)
        while ((await target.arrived()) < messages) await sleep(look)
      },
      cleanUp: () => target.remove(messages),
    }
  },
}

/** `queue-length`: it ends by itself when it has moved what was there. */
async function dig({ vhost }: Target): Promise<void> {
  const uri = `amqp:///${vhost.name}`
  await vhost.manage('PUT', `parameters/shovel/${vhost.name}/bench`, {
    value: {
      'src-protocol': 'amqp091',
      'src-uri': uri,
      'src-queue': deadLetterQueue,
      'src-prefetch-count': 1000,
      'src-delete-after': 'queue-length',
      'dest-protocol': 'amqp091',
      'dest-uri': uri,
      'dest-queue': workQueue,
      'ack-mode': 'on-confirm',
    },
  })
}
