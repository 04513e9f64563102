import { chain } from '../../core/chain.ts'
import { withHeaders } from '../../core/headers.ts'
import type { Headers, Message } from '../../core/message.ts'
import type { Clock } from '../../core/ports.ts'
import type { Address, Measure, Page, PageRequest } from '../seam.ts'
import { copyIn, copyOut } from './copy.ts'
import type { DedupWindow } from './dedup-window.ts'
import { type Claimant, deliveryFor, type Entry, type MemoryDelivery, type Ticket } from './entry.ts'
import { heap } from './heap.ts'
import { line } from './line.ts'
import { browseEntries, measureEntries } from './look.ts'
import { createSleepers } from './sleepers.ts'
import { timetable } from './timetable.ts'

export interface ChannelSettings {
  readonly address: Address
  readonly deadLetterTo: Address | undefined
  /** Milliseconds; `Infinity` where messages do not expire. */
  readonly ttl: number
  readonly lanes: boolean
}

/** One queue. Every change is one synchronous step, so nothing is ever seen half done. */
export interface Channel {
  readonly settings: ChannelSettings
  /** The ids of sends that are remembered, and where they stand. */
  readonly seen: DedupWindow
  put(message: Message, delay: number): Entry
  handOut(claimant: Claimant, max: number): MemoryDelivery[]
  complete(ticket: Ticket): void
  retry(ticket: Ticket, delay: number, headers: Headers): void
  release(ticket: Ticket): void
  /** The holder is gone and nobody knows what became of the message. */
  lose(ticket: Ticket): void
  extend(ticket: Ticket, ms: number): void
  held(claimant: Claimant): Ticket[]
  /** The claimant wants to hear, once, when there may be something for it. */
  wait(claimant: Claimant): void
  browse(page: PageRequest): Page
  remove(position: string): boolean
  measure(): Measure
}

/** Where an expired message goes; tells whether it could go there. */
export type Expire = (entry: Entry, from: Channel) => boolean

export function channel(settings: ChannelSettings, clock: Clock, seen: DedupWindow, expire: Expire): Channel {
  /** Every entry: oldest first, which is also the order in which they expire. */
  const entries = chain<Entry>()
  const tickets = chain<Ticket>()
  const delayed = heap<Entry>()
  const queue = line(settings.lanes)
  const sleepers = createSleepers()
  const bell = timetable(clock, ring)
  const mortal = settings.ttl !== Number.POSITIVE_INFINITY
  let lastSequence = 0

  function put(message: Message, delay: number): Entry {
    const sequence = ++lastSequence
    const entry: Entry = {
      kind: 'entry',
      sequence,
      position: String(sequence),
      enqueuedAt: clock.now(),
      expiresAt: mortal ? clock.monotonic() + settings.ttl : settings.ttl,
      lane: queue.join(message),
      message: copyIn(message),
      state: 'scheduled',
      deliveries: 0,
      turns: 0,
      suspect: false,
      previous: undefined,
      next: undefined,
    }
    entries.append(entry)
    if (delay > 0) wakeLater(entry, delay)
    else queue.enter(entry)
    bell.ringBy(entry.expiresAt)
    sleepers.call()
    return entry
  }

  function wakeLater(entry: Entry, delay: number): void {
    const dueAt = clock.monotonic() + delay
    delayed.push(dueAt, entry)
    bell.ringBy(dueAt)
  }

  function handOut(claimant: Claimant, max: number): MemoryDelivery[] {
    const batch: MemoryDelivery[] = []
    const { holdFor } = claimant
    const until = clock.now() + holdFor
    const untilMonotonic = clock.monotonic() + holdFor
    while (batch.length < max) {
      const entry = queue.next(claimant)
      if (entry === undefined) break
      if (entry.suspect && batch.length > 0) {
        queue.comeBack(entry)
        queue.letGo(entry)
        break
      }
      batch.push(handOutOne(entry, claimant, untilMonotonic, until))
      if (entry.suspect) break
    }
    if (batch.length > 0) bell.ringBy(untilMonotonic)
    return batch
  }

  function handOutOne(entry: Entry, claimant: Claimant, heldUntil: number, tellUntil: number): MemoryDelivery {
    entry.state = 'held'
    entry.deliveries++
    const ticket: Ticket = { entry, channel: self, claimant, heldUntil, state: 'held', previous: undefined, next: undefined }
    tickets.append(ticket)
    const delivery = deliveryFor(ticket, copyOut(entry.message), tellUntil)
    // A suspect runs alone, so if it never comes back the turn was certainly its own: it counts from here on.
    if (entry.suspect) entry.turns++
    return delivery
  }

  function end(ticket: Ticket, state: 'settled' | 'lost'): Entry {
    ticket.state = state
    tickets.remove(ticket)
    return ticket.entry
  }

  function complete(ticket: Ticket): void {
    const entry = end(ticket, 'settled')
    entries.remove(entry)
    queue.leave(entry)
    letGo(entry)
  }

  function retry(ticket: Ticket, delay: number, headers: Headers): void {
    const entry = end(ticket, 'settled')
    if (!entry.suspect) entry.turns++
    entry.suspect = false
    if (headers.length > 0) entry.message = copyIn({ ...entry.message, headers: withHeaders(entry.message.headers, headers) })
    queue.delay(entry)
    if (delay > 0) wakeLater(entry, delay)
    else queue.resume(entry)
    letGo(entry)
  }

  function release(ticket: Ticket): void {
    const entry = end(ticket, 'settled')
    if (entry.suspect) entry.turns--
    queue.comeBack(entry)
    letGo(entry)
  }

  function lose(ticket: Ticket): void {
    const entry = end(ticket, 'lost')
    entry.suspect = true
    queue.comeBack(entry)
    letGo(entry)
  }

  function letGo(entry: Entry): void {
    queue.letGo(entry)
    if (entry.state !== 'gone') bell.ringBy(entry.expiresAt)
    sleepers.call()
  }

  function ring(now: number): number {
    while (delayed.firstAt <= now) {
      const entry = delayed.pop()
      if (entry?.state === 'delayed') queue.resume(entry)
      else if (entry?.state === 'scheduled') queue.enter(entry)
    }
    const next = Math.min(loseExpired(now), delayed.firstAt, expireOld(now))
    sleepers.call()
    return next
  }

  function loseExpired(now: number): number {
    let next = Number.POSITIVE_INFINITY
    // The newest hand-out first: each goes back to the head of the line, so the oldest ends up in front.
    for (const ticket of [...tickets].reverse()) {
      if (ticket.heldUntil <= now) lose(ticket)
      else next = Math.min(next, ticket.heldUntil)
    }
    return next
  }

  /** Held messages do not expire under their holder; they do so when they come back. */
  function expireOld(now: number): number {
    if (!mortal) return Number.POSITIVE_INFINITY
    for (const entry of entries) {
      if (entry.state === 'held') continue
      if (entry.expiresAt > now) return entry.expiresAt
      if (!expire(entry, self)) return now + settings.ttl
      entries.remove(entry)
      queue.leave(entry)
    }
    return Number.POSITIVE_INFINITY
  }

  const self: Channel = {
    settings,
    seen,
    put,
    handOut,
    complete,
    retry,
    release,
    lose,
    extend(ticket, ms) {
      ticket.heldUntil = clock.monotonic() + ms
      bell.ringBy(ticket.heldUntil)
    },
    held: (claimant) => [...tickets].filter((ticket) => ticket.claimant === claimant).reverse(),
    wait: sleepers.wait,
    browse: (page) => browseEntries(entries, page),
    remove(position) {
      const entry = entries.find((each) => each.position === position)
      if (entry === undefined || entry.state === 'held') return false
      entries.remove(entry)
      queue.leave(entry)
      sleepers.call()
      return true
    },
    measure: () => measureEntries(entries),
  }
  return self
}
