import { RedriveError } from '../../core/errors.ts'
import type { Content, Hold, JobOf } from './protocol.ts'
import { deleteMessage, finishDelete, insertMessage, type Transaction } from './rows.ts'
import { channelOf } from './schema.ts'
import type { QueueRow } from './statements.ts'

/** Done: the two rows go, if the fence still holds. Most channels have no lanes, and then one statement finds and deletes. */
export function complete(transaction: Transaction, id: number, fence: number): boolean {
  const channel = transaction.channels.numbered(channelOf(id))
  const lane = channel.lanes === 1 ? (transaction.statements.heldRow.get(id, fence)?.lane ?? null) : null
  if (transaction.statements.dropHeld.run(id, fence).changes === 0) return false
  finishDelete(transaction, channel, id, lane)
  return true
}

export function retry(transaction: Transaction, job: JobOf<'retry'>): void {
  const readyAt = job.delay > 0 ? Math.ceil(transaction.now + job.delay) : 0
  giveBack(transaction, job.hold, readyAt, 0, job.counted ? 0 : 1)
  if (job.envelope !== undefined) transaction.statements.rewrite.run(job.envelope, job.hold.id)
}

/** As if it had never been taken: a suspect stays one, and the turn that was counted for it is taken back. */
export function release(transaction: Transaction, job: JobOf<'release'>): void {
  giveBack(transaction, job.hold, 0, job.counted ? 1 : 0, job.counted ? -1 : 0)
}

function giveBack({ statements, ready }: Transaction, hold: Hold, readyAt: number, stillSuspect: number, turns: number): void {
  if (statements.giveBack.run(readyAt, stillSuspect, turns, hold.id, hold.fence).changes === 0) throw holdLost(hold)
  ready.add(channelOf(hold.id))
}

export function reject(transaction: Transaction, { hold, content }: JobOf<'reject'>): void {
  const row = heldRow(transaction, hold)
  const channel = transaction.channels.numbered(channelOf(hold.id))
  if (channel.dead_letter_to === null) {
    throw new RedriveError('bad-topology', `The channel "${channel.name}" has no dead-letter channel to reject to.`)
  }
  transfer(transaction, row, channel.dead_letter_to, content, 0)
}

export function move(transaction: Transaction, job: JobOf<'move'>): void {
  transfer(transaction, heldRow(transaction, job.hold), job.to, job.content, job.delay)
}

/** Durable there and gone from here: one transaction. */
function transfer(transaction: Transaction, row: QueueRow, to: string, content: Content, delay: number): void {
  const destination = transaction.channels.named(to)
  insertMessage(transaction, destination, { content, delay, copyOf: row.id })
  deleteMessage(transaction, transaction.channels.numbered(channelOf(row.id)), row)
}

export function extend({ statements }: Transaction, { hold, until }: JobOf<'extend'>): void {
  if (statements.extend.run(Math.ceil(until), hold.id, hold.fence).changes === 0) throw holdLost(hold)
}

function heldRow({ statements }: Transaction, hold: Hold): QueueRow {
  const row = statements.heldRow.get(hold.id, hold.fence)
  if (row === undefined) throw holdLost(hold)
  return row
}

export function holdLost(hold: Hold): RedriveError {
  return new RedriveError(
    'hold-lost',
    `Message ${hold.id} is no longer ours: its lock expired and it was handed to somebody else.`,
  )
}
