import type { Channel } from 'amqplib'
import { RedriveError } from '../../core/errors.ts'
import { isNotFound, operationError } from './amqp-errors.ts'
import { answered, type Link, type Session } from './connection.ts'
import type { Settings } from './options.ts'

/** Asks the broker something on a channel of its own, because the broker answers "no" by closing the channel. */
export type Ask = <T>(about: string, question: Question<T>) => Promise<T>

/** `heard`: one of many answers has come, and the next has as much time. */
type Question<T> = (channel: Channel, session: Session, heard: () => void) => Promise<T>

export function createAsk(link: Link, settings: Pick<Settings, 'clock' | 'answerWithin'>): Ask {
  return async (about, question) => {
    const session = await link.session()
    try {
      return await answered(session, settings, (heard) => askOnce(session, question, heard), about)
    } catch (cause) {
      throw operationError(cause, about)
    }
  }
}

async function askOnce<T>(session: Session, question: Question<T>, heard: () => void): Promise<T> {
  const channel = await session.connection.createChannel()
  channel.on('error', () => {})
  try {
    return await question(channel, session, heard)
  } finally {
    await channel.close().catch(() => {})
  }
}

const mostTimes = 5

/**
 * For declaring things. To RabbitMQ 3, a queue that somebody else declares at this moment can be one whose home is down, which it tells as
 * "not found". Nothing that one declares can be missing, so it is asked again; else, of several consumers that start at once, one fails.
 */
export function askUntilFound(ask: Ask): Ask {
  return async (about, question) => {
    for (let times = 1; ; times++) {
      try {
        return await ask(about, question)
      } catch (error) {
        const isMissing = error instanceof RedriveError && isNotFound(error.cause)
        if (!isMissing || times === mostTimes) throw error
      }
    }
  }
}
