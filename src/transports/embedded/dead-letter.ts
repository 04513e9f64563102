import { expiry, nativeLetter } from '../../core/dialects/native-letter.ts'
import { decodeMessage, encodeEnvelope, parseEnvelope } from '../../core/envelope.ts'
import type { ChannelBook } from './channels.ts'
import { deleteMessage, insertMessage, type Transaction } from './rows.ts'
import type { ChannelRow, QueueRow } from './statements.ts'

/** Where what expires in this channel goes. Without such a channel nothing expires, since it would be lost. */
export function graveOf(channels: ChannelBook, channel: ChannelRow): ChannelRow | undefined {
  return channel.dead_letter_to === null ? undefined : channels.find(channel.dead_letter_to)
}

export function isTooOld(channel: ChannelRow, row: QueueRow, now: number): boolean {
  return channel.ttl !== null && row.sent_at + channel.ttl <= now
}

export function expire(transaction: Transaction, channel: ChannelRow, row: QueueRow, grave: ChannelRow): void {
  const { now, statements } = transaction
  const message = decodeMessage(parseEnvelope(statements.envelope.get(row.id)?.envelope ?? ''), null)
  const failure = expiry(channel.name, channel.ttl ?? 0, now, row)
  const letter = nativeLetter(message, failure, { channel: channel.name, position: String(row.id) })
  const content = { envelope: encodeEnvelope(letter), body: undefined, key: letter.key }
  insertMessage(transaction, grave, { content, delay: 0, copyOf: row })
  deleteMessage(transaction, channel, row)
}
