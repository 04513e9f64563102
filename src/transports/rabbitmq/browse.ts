import type { Channel, GetMessage } from 'amqplib'
import { RedriveError } from '../../core/errors.ts'
import type { Page, PageRequest } from '../seam.ts'
import type { Ask } from './admin.ts'
import { inspectQueue } from './inspect-queue.ts'
import { toMessage } from './message.ts'

/**
 * Looks at a classic queue the only way there is: takes the messages from the first one on, holds them all, and gives them back,
 * whereupon each is where it was, marked as redelivered. While that lasts, nobody else is given them.
 */
export async function browse(ask: Ask, name: string, { limit, after = '0' }: PageRequest, depth: number): Promise<Page> {
  if (!/^\d{1,9}$/.test(after)) throw new RedriveError('bad-option', `"${after}" is not the \`next\` of a page.`)
  const from = Number(after)
  if (from + limit > depth)
    throw new RedriveError('unsupported', `A browse holds at most ${depth} messages (browseDepth): collect the queue instead.`)
  const { 'x-queue-type': type = 'classic' } = await inspectQueue(ask, name, { 'x-queue-type': 'classic' })
  if (type !== 'classic')
    throw new RedriveError(
      'unsupported',
      `Browsing "${name}" would count as deliveries and may destroy messages: it is a ${type} queue.`,
    )
  const held = await ask(`queue "${name}"`, (channel, _, heard) => holdAndGiveBack(channel, name, from + limit + 1, heard))
  const messages = held.slice(from, from + limit).map((raw) => ({ message: toMessage(raw), deliveries: 1 }))
  return held.length > from + limit ? { messages, next: String(from + limit) } : { messages }
}

/** The library asks for one after the other: a broker that is far away takes long for many. */
async function holdAndGiveBack(channel: Channel, name: string, count: number, heard: () => void): Promise<readonly GetMessage[]> {
  const held: GetMessage[] = []
  while (held.length < count) {
    const raw = await channel.get(name)
    heard()
    if (raw === false) break
    held.push(raw)
  }
  if (held.length > 0) channel.nackAll(true)
  // The broker has taken the messages back when it has answered what was asked behind that.
  await channel.checkQueue(name)
  return held
}
