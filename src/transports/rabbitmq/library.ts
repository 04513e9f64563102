import type { ChannelModel, Options, SocketOptions } from 'amqplib'
import { RedriveError } from '../../core/errors.ts'

/** What we use of the client library. */
export interface Amqplib {
  connect(host: Options.Connect, socket: SocketOptions): Promise<ChannelModel>
}

/** Loaded on first use, so that nobody needs it who does not use RabbitMQ. */
export async function loadAmqplib(): Promise<Amqplib> {
  try {
    return (await import('amqplib')).default
  } catch (cause) {
    throw new RedriveError('missing-library', 'RabbitMQ needs the package amqplib. Install it with: npm install amqplib@2', {
      cause,
    })
  }
}
