import { Buffer } from 'node:buffer'
import type { Claim } from '../leases/protocol.ts'
import { contentsOf, withinBytes } from './contents.ts'
import { expire, graveOf, isTooOld } from './dead-letter.ts'
import { endLeases, recordLeases } from './leases.ts'
import type { PackedClaim } from './protocol.ts'
import type { Transaction } from './rows.ts'
import type { ChannelRow, Lane, QueueRow } from './statements.ts'

/** Bodies that one claim brings into memory at most, unless a single one is larger. */
const claimedBytes = 32 * 1024 * 1024
/** So that a claim which finds a million expired messages does not keep everybody waiting; the next one goes on. */
const expiredPerClaim = 500

/** Hands out what stands at the front of the channel, oldest first. A suspect comes alone, if wanted; to empty hands its turn counts at once. */
export function claim(transaction: Transaction, request: Claim): PackedClaim {
  const channel = transaction.channels.numbered(request.channel)
  endLeases(transaction, channel.id)
  const search = { max: request.max, blockedUntil: Number.POSITIVE_INFINITY, expired: 0 }
  const fronts = untilSuspect(findFronts(transaction, channel, search))
  const suspect = fronts[0]?.held === 1
  const withheld = suspect && request.suspects === 'withhold'
  const rows = suspect || channel.lanes === 0 ? fronts : withFollowers(transaction, channel, fronts, request.max)
  const given = withheld ? [] : withinBytes(rows, claimedBytes)
  return { ...lease(transaction, given, request, suspect), withheld, nextAt: nextAt(transaction, channel, search) }
}

interface Search {
  /** How many are wanted. */
  readonly max: number
  /** When a lane that has something to give will no longer be held by somebody. */
  blockedUntil: number
  expired: number
}

/** Messages whose delay or lease has ended stand in their old place again: what is oldest comes first, whatever happened to it. */
function findFronts(transaction: Transaction, channel: ChannelRow, search: Search): QueueRow[] {
  const { now, statements } = transaction
  const { max } = search
  const due = findFree(transaction, channel, search, (last) => statements.due.all(channel.id, last.ready_at, last.id, now, max))
  const ready = findFree(transaction, channel, search, (last) => statements.ready.all(channel.id, last.id, max))
  if (due.length === 0) return ready
  return [...due, ...ready].sort((a, b) => a.id - b.id).slice(0, max)
}

type Place = Pick<QueueRow, 'ready_at' | 'id'>

/** Page by page: what stands in lanes that are held by somebody keeps back nothing behind it. */
function findFree(
  transaction: Transaction,
  channel: ChannelRow,
  search: Search,
  pageBehind: (last: Place) => QueueRow[],
): QueueRow[] {
  const { max } = search
  const found: QueueRow[] = []
  for (let last: Place = { ready_at: 1, id: 0 }; ; ) {
    const page = pageBehind(last)
    for (const row of page) if (isFree(transaction, channel, row, search)) found.push(row)
    last = page.at(-1) ?? last
    if (found.length >= max || page.length < max || search.expired >= expiredPerClaim) return found.slice(0, max)
  }
}

/** Sends it to the dead-letter channel when it has expired; passes it by while somebody holds a later one of its lane. */
function isFree(transaction: Transaction, channel: ChannelRow, row: QueueRow, search: Search): boolean {
  const grave = isTooOld(channel, row, transaction.now) ? graveOf(transaction.channels, channel) : undefined
  if (grave) {
    if (search.expired++ < expiredPerClaim) expire(transaction, channel, row, grave)
    else search.blockedUntil = transaction.now
    return false
  }
  if (row.lane === null) return true
  const heldUntil = transaction.statements.laneHeldUntil.get(channel.id, row.lane)?.ready_at ?? 0
  if (heldUntil <= transaction.now) return true
  search.blockedUntil = Math.min(search.blockedUntil, heldUntil)
  return false
}

/**
 * Everything before the first suspect; or, when that is the first, the suspect with the fewest turns alone. So one that was in hand when
 * somebody died stands behind those that were not, and consumers that are killed from outside, again and again, do
 * not blame the same one each time.
 */
function untilSuspect(rows: QueueRow[]): QueueRow[] {
  const first = rows.findIndex((row) => row.held === 1)
  if (first !== 0) return first < 0 ? rows : rows.slice(0, first)
  return [rows.filter((row) => row.held === 1).reduce((least, row) => (row.turns < least.turns ? row : least))]
}

/** Fills what is left of `max` with the messages that stand right behind the fronts, shared among their lanes. */
function withFollowers(transaction: Transaction, channel: ChannelRow, fronts: QueueRow[], max: number): QueueRow[] {
  const rows = [...fronts]
  const laned = fronts.filter((row) => row.lane !== null)
  laned.forEach((front, index) => {
    const share = Math.floor((max - rows.length) / (laned.length - index))
    if (share > 0) rows.push(...followers(transaction, channel, front, share))
  })
  return rows.sort((a, b) => a.id - b.id)
}

function followers(transaction: Transaction, channel: ChannelRow, front: QueueRow, limit: number): QueueRow[] {
  const { now, statements } = transaction
  const behind = statements.followers.all(channel.id, front.lane, front.id, limit)
  const stop = behind.findIndex((row) => row.held === 1 || row.ready_at > now || isTooOld(channel, row, now))
  return stop < 0 ? behind : behind.slice(0, stop)
}

type Leased = Omit<PackedClaim, 'withheld' | 'nextAt'>

function lease(transaction: Transaction, rows: QueueRow[], request: Claim, suspect: boolean): Leased {
  const { statements } = transaction
  const ids = rows.map((row) => row.id)
  if (suspect) for (const row of rows) leaseSuspect(transaction, row, request)
  else statements.lease.run(request.until, `[${ids.join()}]`)
  recordLeases(transaction, request.channel, ids, request.until)
  return {
    ids,
    deliveries: rows.map((row) => row.deliveries + 1),
    turns: rows.map((row) => row.turns),
    sentAt: rows.map((row) => row.sent_at),
    lanes: rows.map((row) => laneName(row.lane)),
    contents: contentsOf(statements, rows),
    suspect,
  }
}

/** Whoever held its lane holds none of it any more: what stands behind the suspect must not be settled before it. */
function leaseSuspect({ statements }: Transaction, { id, lane }: QueueRow, { channel, until, suspects }: Claim): void {
  statements.leaseSuspect.run(until, suspects === 'alone' ? 1 : 0, id)
  if (lane !== null) statements.fenceBehind.run(channel, lane, id)
}

function nextAt(transaction: Transaction, channel: ChannelRow, search: Search): number | null {
  const delayed = transaction.statements.nextReadyAt.get(channel.id, transaction.now)?.ready_at ?? Number.POSITIVE_INFINITY
  const leased = transaction.statements.nextLeaseEnd.get(channel.id)?.ends_at ?? Number.POSITIVE_INFINITY
  const next = Math.min(delayed, leased, search.blockedUntil)
  return next === Number.POSITIVE_INFINITY ? null : next
}

/** A lane's name only tells lanes apart; a key that is not text is shown as its bytes in hexadecimal. */
function laneName(lane: Lane): string | null {
  return lane instanceof Uint8Array ? `0x${Buffer.from(lane).toString('hex')}` : lane
}
