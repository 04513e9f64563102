import channels from '@moleculer/channels'
import { type Middleware, ServiceBroker } from 'moleculer'
import { faultChannels } from '../../messages.ts'
import { handle, order, ready, retries } from './handle.ts'
import { peerDeadLetters, peerWork } from './queues.ts'

interface Raw {
  readonly properties: { readonly headers?: Readonly<Record<string, unknown>> }
}

/** Moleculer channels with its own dead-lettering enabled, and its own retries. A queue is called by group and name. */
const [group = '', name = ''] = faultChannels.work.split('.')
const adapter = new channels.Adapters.AMQP({ amqp: { url: order.url }, maxInFlight: order.prefetch } as never)
// It looks up the version of amqplib in a file that amqplib 2 does not show, and ends the process.
adapter.checkClientLibVersion = () => true
const middlewares = [channels.Middleware({ adapter } as never) as unknown as Middleware]
const broker = new ServiceBroker({ logger: false, middlewares })
broker.createService({
  name: 'faults',
  channels: {
    [name]: {
      group,
      amqp: { queueOptions: peerWork },
      maxRetries: retries,
      deadLettering: { enabled: true, queueName: faultChannels.deadLetter, queueOptions: peerDeadLetters },
      async handler(content: never, raw: Raw) {
        handle(content, Number(raw.properties.headers?.['x-redelivered-count'] ?? 0) + 1)
      },
    },
  },
} as never)
await broker.start()
ready()
