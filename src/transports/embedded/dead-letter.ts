import type { Failure } from '../../core/failure.ts'
import { withHeaders } from '../../core/headers.ts'
import { type Origin, redriveHeaders } from '../../core/letter.ts'
import type { Header, Message } from '../../core/message.ts'
import type { ChannelBook } from './channels.ts'
import { decodeMessage, encodeEnvelope } from './encode.ts'
import { deleteMessage, insertMessage, type Transaction } from './rows.ts'
import type { ChannelRow, QueueRow } from './statements.ts'

/** The message as the queue's own dead-lettering writes it: the original, with the failure in headers of its own. */
export function rejectedMessage(message: Message, failure: Failure, origin: Origin): Message {
  const added: Header[] = [
    [redriveHeaders.originChannel, origin.channel],
    ['redrive-reason', failure.reason],
    ['redrive-description', failure.description],
    ['redrive-error-type', failure.errorType],
    ['redrive-class', failure.class],
    ['redrive-failed-at', new Date(failure.at).toISOString()],
    ['redrive-failed-attempts', failure.attempts],
    ['redrive-deliveries', failure.deliveries],
  ]
  if (origin.position !== undefined) added.push([redriveHeaders.originPosition, origin.position])
  if (failure.stack !== undefined) added.push(['redrive-stack', failure.stack])
  return { ...message, headers: withHeaders(message.headers, added) }
}

/** Where what expires in this channel goes. Without such a channel nothing expires, since it would be lost. */
export function graveOf(channels: ChannelBook, channel: ChannelRow): ChannelRow | undefined {
  return channel.dead_letter_to === null ? undefined : channels.find(channel.dead_letter_to)
}

export function isTooOld(channel: ChannelRow, row: QueueRow, now: number): boolean {
  return channel.ttl !== null && row.sent_at + channel.ttl <= now
}

export function expire(transaction: Transaction, channel: ChannelRow, row: QueueRow, grave: ChannelRow): void {
  const { now, statements } = transaction
  const message = decodeMessage(statements.content.get(row.id)?.envelope ?? '', null)
  const letter = rejectedMessage(message, expiry(channel, row, now), { channel: channel.name, position: String(row.id) })
  const content = { envelope: encodeEnvelope(letter), body: undefined, key: letter.key }
  insertMessage(transaction, grave, { content, delay: 0, copyOf: row })
  deleteMessage(transaction, channel, row)
}

function expiry(channel: ChannelRow, row: QueueRow, now: number): Failure {
  return {
    reason: 'Expired',
    description: `It stood in ${channel.name} for longer than ${channel.ttl} ms.`,
    errorType: 'Expired',
    class: 'permanent',
    at: now,
    attempts: row.turns,
    deliveries: row.deliveries,
  }
}
