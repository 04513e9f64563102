import { createRequire } from 'node:module'
import { faultChannels } from '../../messages.ts'
import { handle, order, ready, retries } from './handle.ts'

/** Rascal as its README says: failed messages are republished some times, then rejected, so that the queue dead-letters them. */
interface RascalMessage {
  readonly properties: {
    readonly headers: { readonly rascal?: { readonly recovery?: Readonly<Record<string, { readonly republished?: number }>> } }
  }
}
type AckOrNack = (error?: Error, recovery?: readonly object[]) => void
interface Subscription {
  on(event: 'error' | 'invalid_content', listener: (error: Error, message: unknown, ackOrNack: AckOrNack) => void): Subscription
  on(event: 'message', listener: (message: RascalMessage, content: never, ackOrNack: AckOrNack) => void): Subscription
}
interface Rascal {
  readonly BrokerAsPromised: {
    create(
      config: object,
    ): Promise<{ on(event: 'error', listener: () => void): void; subscribe(name: string): Promise<Subscription> }>
  }
  withDefaultConfig(config: object): object
}
const { BrokerAsPromised, withDefaultConfig } = createRequire(import.meta.url)('rascal') as Rascal

const { work } = faultChannels
const config = {
  vhosts: {
    [new URL(order.url).pathname.slice(1)]: {
      connection: { url: order.url, socketOptions: { noDelay: true } },
      queues: { [work]: { assert: false, check: true } },
      subscriptions: { work: { queue: work, prefetch: order.prefetch, contentType: 'application/json' } },
    },
  },
}
const recovery = [{ strategy: 'republish', defer: 125, attempts: retries }, { strategy: 'nack' }]
const broker = await BrokerAsPromised.create(withDefaultConfig(config))
broker.on('error', () => {})
const subscription = await broker.subscribe('work')
subscription
  .on('error', () => {})
  .on('invalid_content', (error, _message, ackOrNack) => ackOrNack(error, [{ strategy: 'nack' }]))
  .on('message', (message, content, ackOrNack) => {
    const republished = message.properties.headers.rascal?.recovery?.[work]?.republished ?? 0
    try {
      handle(content, republished + 1)
      ackOrNack()
    } catch (error) {
      ackOrNack(error as Error, recovery)
    }
  })
ready()
