import type { Hold } from '../leases/protocol.ts'
import { dedupWindow } from './capabilities.ts'
import { expire, graveOf } from './dead-letter.ts'
import type { Answers, Job, JobOf } from './protocol.ts'
import { apply } from './provision.ts'
import { deleteMessage, insertMessage, type Transaction } from './rows.ts'
import { firstId, lastId } from './schema.ts'
import { extend, move, reject, release, retry } from './settle.ts'

/** How much housekeeping one transaction does, so that senders do not wait for it. */
const sweptAtOnce = 500

/**
 * Does one job inside a transaction that it shares with others. Each decides before it writes: a job that throws a
 * `RedriveError` has changed nothing, and its neighbours go on.
 */
export function perform(transaction: Transaction, job: Job): Answers[Job['kind']] {
  switch (job.kind) {
    case 'send':
      return send(transaction, job)
    case 'retry':
      return void retry(transaction, job)
    case 'release':
      return void release(transaction, job)
    case 'reject':
      return void reject(transaction, job)
    case 'move':
      return void move(transaction, job)
    case 'extend':
      return void extend(transaction, job)
    case 'remove':
      return remove(transaction, job)
    case 'audit':
      return job.holds.filter((hold) => isLost(transaction, hold))
    case 'find':
      return transaction.channels.named(job.channel).id
    case 'provision':
      return apply(job.wanted, transaction.channels, transaction.statements)
    case 'sweep':
      return sweep(transaction)
  }
}

function send(transaction: Transaction, { to, content, delay, dedupId }: JobOf<'send'>): Answers['send'] {
  const { now, statements } = transaction
  const channel = transaction.channels.named(to)
  const earlier = dedupId === undefined ? undefined : statements.sentId.get(channel.id, dedupId, now)
  if (earlier) return { id: earlier.message, duplicate: true }
  const id = insertMessage(transaction, channel, { content, delay })
  if (dedupId !== undefined) statements.rememberId.run(channel.id, dedupId, id, Math.ceil(now + dedupWindow))
  return { id, duplicate: false }
}

function remove(transaction: Transaction, { channel: name, id }: JobOf<'remove'>): boolean {
  const channel = transaction.channels.named(name)
  const row = id >= firstId(channel.id) && id <= lastId(channel.id) ? transaction.statements.row.get(id) : undefined
  if (row === undefined || (row.held === 1 && row.ready_at > transaction.now)) return false
  deleteMessage(transaction, channel, row)
  return true
}

function isLost({ statements }: Transaction, hold: Hold): boolean {
  return statements.heldRow.get(hold.id, hold.fence) === undefined
}

function sweep(transaction: Transaction): boolean {
  const { now, statements } = transaction
  let more = Number(statements.forgetIds.run(now, sweptAtOnce).changes) === sweptAtOnce
  for (const channel of statements.channelsThatExpire.all()) {
    const grave = graveOf(transaction.channels, channel)
    if (!grave) continue
    // In the order in which they were sent: behind the first that is young enough nobody looks, however many stand there.
    const oldest = statements.oldestFree.all(firstId(channel.id), lastId(channel.id), now, sweptAtOnce)
    const young = oldest.findIndex((row) => row.sent_at > now - (channel.ttl ?? 0))
    const expired = young < 0 ? oldest : oldest.slice(0, young)
    for (const row of expired) expire(transaction, channel, row, grave)
    more ||= expired.length === sweptAtOnce
  }
  return more
}
