import type { Content } from '../leases/protocol.ts'
import type { ChannelBook, Tally } from './channels.ts'
import type { ChannelRow, Lane, QueueRow, WriterStatements } from './statements.ts'

/** What every step of one transaction works with. */
export interface Transaction {
  readonly now: number
  readonly statements: WriterStatements
  readonly channels: ChannelBook
  readonly tally: Tally
  /** Channels in which something may have become claimable. */
  readonly ready: Set<number>
  /** Messages whose contents are to be deleted before the commit. */
  readonly emptied: number[]
}

export interface NewRow {
  readonly content: Content
  readonly delay: number
  /** Whose body it takes when the content names none. */
  readonly copyOf?: QueueRow
}

export function insertMessage(transaction: Transaction, channel: ChannelRow, row: NewRow): number {
  const { now, statements, tally, ready } = transaction
  const id = tally.added(channel.id)
  const lane = laneOf(channel, row.content.key)
  const front = lane === null || statements.laneExists.get(channel.id, lane) === undefined ? 1 : 0
  insertContent(statements, id, row)
  statements.addRow.run(id, channel.id, now, row.delay > 0 ? Math.ceil(now + row.delay) : 0, front, bytesOf(row), lane)
  ready.add(channel.id)
  return id
}

function insertContent(statements: WriterStatements, id: number, { content, copyOf }: NewRow): void {
  if (content.body !== undefined) statements.addContent.run(id, content.envelope, content.body)
  else if (copyOf !== undefined) statements.copyContent.run(id, content.envelope, copyOf.id)
}

function bytesOf({ content: { body }, copyOf }: NewRow): number {
  return body === undefined ? (copyOf?.bytes ?? 0) : (body?.byteLength ?? 0)
}

function laneOf(channel: ChannelRow, key: Content['key']): Lane {
  return channel.lanes === 1 && key !== undefined ? key : null
}

export function deleteMessage(transaction: Transaction, channel: ChannelRow, row: QueueRow): void {
  transaction.statements.dropRow.run(row.id)
  finishDelete(transaction, channel, row.id, row.lane)
}

/** After its row in `queue` is gone: the content goes too, later, and the next of its lane comes to the front. */
export function finishDelete(transaction: Transaction, channel: ChannelRow, id: number, lane: Lane): void {
  const { statements, tally, ready, emptied } = transaction
  emptied.push(id)
  tally.removed(channel.id)
  if (lane === null) return
  statements.promote.run(channel.id, lane)
  ready.add(channel.id)
}

/** Mostly what is settled together was sent together: one statement deletes each run of ids. */
export function deleteContents({ statements, emptied }: Transaction): void {
  emptied.sort((a, b) => a - b)
  for (let start = 0; start < emptied.length; ) {
    let end = start
    while (emptied[end + 1] === (emptied[end] ?? 0) + 1) end++
    statements.dropContents.run(emptied[start] ?? 0, emptied[end] ?? 0)
    start = end + 1
  }
}
