import type { Channel } from 'amqplib'
import { operationError } from './amqp-errors.ts'
import { answered, type Link, type Session } from './connection.ts'
import type { Settings } from './options.ts'

/** Asks the broker something on a channel of its own, because the broker answers "no" by closing the channel. */
export type Ask = <T>(about: string, question: (channel: Channel, session: Session) => Promise<T>) => Promise<T>

export function createAsk(link: Link, settings: Pick<Settings, 'clock' | 'answerWithin'>): Ask {
  return async (about, question) => {
    const session = await link.session()
    try {
      return await answered(session, settings, askOnce(session, question), about)
    } catch (cause) {
      throw operationError(cause, about)
    }
  }
}

async function askOnce<T>(session: Session, question: (channel: Channel, session: Session) => Promise<T>): Promise<T> {
  const channel = await session.connection.createChannel()
  channel.on('error', () => {})
  try {
    return await question(channel, session)
  } finally {
    await channel.close().catch(() => {})
  }
}
