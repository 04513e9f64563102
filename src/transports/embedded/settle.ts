import { RedriveError } from '../../core/errors.ts'
import type { Content, Hold } from '../leases/protocol.ts'
import { recordLeases } from './leases.ts'
import type { JobOf } from './protocol.ts'
import { deleteMessage, finishDelete, insertMessage, type Transaction } from './rows.ts'
import { channelOf } from './schema.ts'
import type { QueueRow } from './statements.ts'

/** Done: the two rows of each go, if the fence still holds. Gives the ids of those that are no longer ours. */
export function complete(transaction: Transaction, ids: readonly number[], fence: number): number[] {
  const dropped = transaction.statements.dropHeld.all(`[${ids.join()}]`, fence)
  for (const { id, lane } of dropped) finishDelete(transaction, transaction.channels.numbered(channelOf(id)), id, lane)
  if (dropped.length === ids.length) return []
  const done = new Set(dropped.map(({ id }) => id))
  return ids.filter((id) => !done.has(id))
}

/**
 * The same for all from the first to the last, where no lane has to be looked at and every one of them is still ours with this
 * fence: four times cheaper. Tells whether it did.
 */
export function completeRange(transaction: Transaction, first: number, last: number, fence: number): boolean {
  const { statements, channels } = transaction
  const channel = channels.numbered(channelOf(first))
  if (channel.lanes === 1 || channelOf(last) !== channel.id) return false
  if (statements.countHeldRange.get(first, last, fence)?.held !== last - first + 1) return false
  statements.dropRange.run(first, last)
  for (let id = first; id <= last; id++) finishDelete(transaction, channel, id, null)
  return true
}

export function retry(transaction: Transaction, { hold, counted, delay, envelope }: JobOf<'retry'>): void {
  const readyAt = delay > 0 ? Math.ceil(transaction.now + delay) : 0
  giveBack(transaction, hold, { readyAt, suspect: false, turns: counted ? 0 : 1, deliveries: 0 })
  if (envelope !== undefined) transaction.statements.rewrite.run(envelope, hold.id)
}

/** As if it had never been taken: a suspect stays one, and the turn that was counted for it is taken back. */
export function release(transaction: Transaction, { hold, suspect, counted, unseen }: JobOf<'release'>): void {
  giveBack(transaction, hold, { readyAt: 0, suspect, turns: counted ? -1 : 0, deliveries: unseen ? -1 : 0 })
}

interface Returned {
  readonly readyAt: number
  readonly suspect: boolean
  readonly turns: number
  readonly deliveries: number
}

function giveBack({ statements, ready }: Transaction, hold: Hold, { readyAt, suspect, turns, deliveries }: Returned): void {
  const { changes } = statements.giveBack.run(readyAt, suspect ? 1 : 0, turns, deliveries, hold.id, hold.fence)
  if (changes === 0) throw holdLost(hold)
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
  insertMessage(transaction, destination, { content, delay, copyOf: row })
  deleteMessage(transaction, transaction.channels.numbered(channelOf(row.id)), row)
}

export function extend(transaction: Transaction, { hold, until }: JobOf<'extend'>): void {
  if (transaction.statements.extend.run(until, hold.id, hold.fence).changes === 0) throw holdLost(hold)
  recordLeases(transaction, channelOf(hold.id), [hold.id], until)
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
