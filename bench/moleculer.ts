import channels from '@moleculer/channels'
import { type Middleware, ServiceBroker } from 'moleculer'

/** A broker of Moleculer that says nothing, with channels by this adapter. */
export function moleculerOn(adapter: unknown): ServiceBroker {
  return new ServiceBroker({
    logger: false,
    middlewares: [channels.Middleware({ adapter } as never) as unknown as Middleware],
  })
}
