import { RedriveError } from '../../core/errors.ts'
import type { Place } from './assign.ts'
import { placeName } from './assign.ts'
import { createLedger, type Handed, type Ledger } from './ledger.ts'
import { dueOf, orderKeyOf, type StoredRecord } from './message.ts'
import type { FetchedBatch, OffsetRecord } from './records.ts'

/** A partition while it is ours. */
export interface Lane {
  readonly place: Place
  readonly name: string
  readonly ledger: Ledger<StoredRecord>
  readonly hold: AbortController
  /** What was fetched and is not in the books yet. */
  readonly unread: FetchedBatch[]
  unreadRecords: number
  /** Bytes that were fetched and not handed out. */
  bufferedBytes: number
  /** It had nothing for us: it is not asked again before, on the clock that never goes back. */
  quietUntil: number
  /** The version of the ledger that the group was told last, and the one that it is known to have. */
  told: number
  committed: number
  /** Who waits for a commit: those that wait for the next one share a promise. */
  waiters: Waiter[]
}

interface Waiter {
  version: number
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export function createLane(place: Place, from: bigint, metadata: string | null): Lane {
  const ledger = createLedger<StoredRecord>(from, metadata, orderKeyOf)
  const hold = new AbortController()
  return {
    place,
    name: placeName(place),
    ledger,
    hold,
    unread: [],
    unreadRecords: 0,
    bufferedBytes: 0,
    quietUntil: 0,
    told: 0,
    committed: 0,
    waiters: [],
  }
}

/** Where the next fetch begins. */
export function fetchedTo({ unread, ledger }: Lane): bigint {
  return unread.at(-1)?.next ?? ledger.next
}

/** How many records were fetched and not handed out. */
export function buffered({ unreadRecords, ledger }: Lane): number {
  return unreadRecords + ledger.waiting
}

export function keep(lane: Lane, batches: readonly FetchedBatch[]): void {
  for (const batch of batches) {
    lane.unread.push(batch)
    lane.unreadRecords += batch.left
    lane.bufferedBytes += batch.size
  }
  passEmpty(lane)
}

/** Of what was fetched, where nothing in the books can be handed out. */
const readAtOnce = 200

/** What stands in the books may have to wait for its time, and what was not read yet may not. */
export function isSuspectNext(lane: Lane, now: number): boolean {
  let first = lane.ledger.firstNow(now)
  while (!first && readOn(lane, readAtOnce)) first = lane.ledger.firstNow(now)
  return first === 'suspect'
}

/** A suspect behind others is left for the next time, also where it is only found by reading on. */
export function takeFrom(lane: Lane, max: number, now: number): readonly Handed<StoredRecord>[] {
  const taken: Handed<StoredRecord>[] = []
  do {
    taken.push(...lane.ledger.take(max - taken.length, now))
  } while (taken.length < max && readOn(lane, max - taken.length) && lane.ledger.firstNow(now) !== 'suspect')
  return taken
}

/** Enters the next records, at most so many, into the books; tells whether there were any. */
export function readOn(lane: Lane, max: number): boolean {
  let entered = 0
  for (let batch = lane.unread[0]; batch && entered < max; batch = lane.unread[0]) {
    for (let read = batch.read(); read; read = entered < max ? batch.read() : undefined) {
      if (enter(lane, read)) entered++
    }
    passEmpty(lane)
  }
  return entered > 0
}

/** A fetch begins with the batch that holds the offset, which may begin before it. What is done already is never handed out, and keeps no room. */
function enter(lane: Lane, { offset, record }: OffsetRecord): boolean {
  const { ledger } = lane
  lane.unreadRecords--
  if (offset < ledger.next) return false
  const before = ledger.waiting
  ledger.add({ offset, due: dueOf(record), value: record })
  if (ledger.waiting > before) lane.bufferedBytes += sizeOf(record)
  return true
}

export function sizeOf({ valueLength }: StoredRecord): number {
  return Math.max(0, valueLength)
}

function passEmpty(lane: Lane): void {
  for (let [first] = lane.unread; first?.left === 0; [first] = lane.unread) {
    lane.unread.shift()
    lane.bufferedBytes -= first.size
    lane.ledger.fetchedTo(first.next)
  }
}

const known = Promise.resolve()

/** Resolves when the group has everything that the ledger says now. */
export function untilCommitted(lane: Lane): Promise<void> {
  const { version } = lane.ledger
  if (version <= lane.committed) return known
  const last = lane.waiters.at(-1)
  if (!last || last.version <= lane.told) return newWaiter(lane, version)
  last.version = version
  return last.promise
}

function newWaiter(lane: Lane, version: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Not everybody who settles waits for what becomes of it.
  promise.catch(() => {})
  lane.waiters.push({ version, promise, resolve, reject })
  return promise
}

/** The group has everything up to this version. */
export function confirmUpTo(lane: Lane, version: number): void {
  lane.committed = Math.max(lane.committed, version)
  const done = lane.waiters.filter((waiter) => waiter.version <= lane.committed)
  lane.waiters = lane.waiters.filter((waiter) => waiter.version > lane.committed)
  for (const { resolve } of done) resolve()
}

export function failWaiters(lane: Lane, error: unknown): void {
  const failed = lane.waiters
  lane.waiters = []
  for (const { reject } of failed) reject(error)
}

/** From now on nothing of it can be settled. */
export function loseHold(lane: Lane, cause?: unknown): RedriveError {
  const error = new RedriveError('hold-lost', `Partition ${lane.name} is no longer ours.`, { cause })
  lane.hold.abort(error)
  return error
}
