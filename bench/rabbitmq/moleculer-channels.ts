import channels from '@moleculer/channels'
import { moleculerOn } from '../moleculer.ts'
import type { Consume } from './task.ts'

interface Raw {
  readonly properties: { readonly headers?: Readonly<Record<string, unknown>> }
}

/** Its copies are neither confirmed nor persistent, and it has no setting for that. */
export const consume: Consume = async (task, progress) => {
  const [group = '', ...rest] = task.queue.split('.')
  const amqp = { url: task.url, socketOptions: { noDelay: true } }
  const adapter = new channels.Adapters.AMQP({ amqp, maxInFlight: task.prefetch } as never)
  // It looks up the version of amqplib in a file that amqplib 2 does not show, and ends the process.
  adapter.checkClientLibVersion = () => true
  const broker = moleculerOn(adapter)
  broker.createService({
    name: 'bench',
    channels: {
      [rest.join('.')]: {
        group,
        amqp: { queueOptions: { durable: true, arguments: task.queueArguments } },
        maxRetries: task.work === 'dead-letter' ? 0 : 3,
        deadLettering: {
          enabled: true,
          queueName: task.deadLetters,
          exchangeName: 'dead-letters',
          queueOptions: { durable: true, arguments: task.deadLetterArguments },
        },
        async handler(_order: unknown, raw: Raw) {
          progress.began()
          const attempt = Number(raw.properties.headers?.['x-redelivered-count'] ?? 0) + 1
          if (task.work === 'dead-letter') progress.handled()
          if (task.work === 'dead-letter' || (task.work !== 'succeed' && attempt === 1))
            throw new Error('the first attempt fails')
          progress.handled()
        },
      },
    },
  } as never)
  await broker.start()
  return {
    async settled() {
      // It acknowledges when the handler has returned, in the same turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve))
      const { channelAdapter } = broker as unknown as {
        channelAdapter: { channel: { checkQueue(name: string): Promise<unknown> } }
      }
      await channelAdapter.channel.checkQueue(task.queue)
    },
    close: () => broker.stop(),
  }
}
