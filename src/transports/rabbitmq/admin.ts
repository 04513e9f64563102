import type { Channel } from 'amqplib'
import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { operationError } from './amqp-errors.ts'
import type { Link, Session } from './connection.ts'

/** Asks the broker something on a channel of its own, because the broker answers "no" by closing the channel. */
export type Ask = <T>(about: string, question: (channel: Channel, session: Session) => Promise<T>) => Promise<T>

export function createAsk(link: Link, clock: Clock, answerWithin: number): Ask {
  return async (about, question) => {
    const session = await link.session()
    const silent = new RedriveError('unreachable', `RabbitMQ did not answer in time when it was asked about ${about}.`)
    const cancel = clock.after(answerWithin, () => session.drop(silent))
    let channel: Channel | undefined
    try {
      channel = await session.connection.createChannel()
      channel.on('error', () => {})
      return await question(channel, session)
    } catch (cause) {
      throw operationError(cause, about)
    } finally {
      cancel()
      await channel?.close().catch(() => {})
    }
  }
}
