import type { Link } from '../../core/chain.ts'
import type { Message } from '../../core/message.ts'
import type { Address, Delivery, Hold } from '../seam.ts'
import type { Channel } from './channel.ts'
import type { Deque } from './deque.ts'

/**
 * One message in a channel.
 *
 *   scheduled ──due──▶ ready ──handed out──▶ held ──complete, move, reject──▶ gone
 *                        ▲                    │
 *                        ├── release, lost ───┤
 *                        └──due── delayed ◀── retry
 */
export interface Entry extends Link<Entry> {
  readonly kind: 'entry'
  readonly sequence: number
  readonly position: string
  /** Epoch milliseconds. */
  readonly enqueuedAt: number
  /** On the monotonic clock: when its time to live is over; `Infinity` where the channel has none. */
  readonly expiresAt: number
  readonly lane: Lane | undefined
  message: Message
  state: 'scheduled' | 'ready' | 'held' | 'delayed' | 'gone'
  deliveries: number
  turns: number
  suspect: boolean
}

/**
 * The messages of one key. Its head alone is on offer, so an entry that waits for its retry blocks those behind it. While some
 * are held, only their owner gets more.
 */
export interface Lane {
  readonly kind: 'lane'
  readonly name: string
  /** Ready and delayed entries by sequence. */
  readonly waiting: Deque<Entry>
  /** Entries that are not gone yet, wherever they are. */
  members: number
  held: number
  owner: Claimant | undefined
  /** The one queue in which this lane stands; a lane met in any other is a leftover. */
  offeredIn: Deque<Entry | Lane> | undefined
}

/** A receiver as its channel sees it. */
export interface Claimant {
  readonly address: Address
  readonly holdFor: number
  readonly hold: Hold
  /** Lanes that only this claimant may go on with. */
  readonly lanes: Deque<Entry | Lane>
  /** Set while a `take` waits: tries again to get something. */
  awake: (() => void) | undefined
}

/** One hand-out of one entry: what makes a delivery ours. */
export interface Ticket extends Link<Ticket> {
  readonly entry: Entry
  readonly channel: Channel
  readonly claimant: Claimant
  /** On the monotonic clock. */
  heldUntil: number
  state: 'held' | 'settled' | 'lost'
}

/** The native handle travels under a symbol: it is no header, is not serialised, and survives a spread. */
const ticketOf: unique symbol = Symbol('ticket')

export interface MemoryDelivery extends Delivery {
  readonly [ticketOf]: Ticket
}

export function ticketFor(delivery: Delivery): Ticket | undefined {
  return (delivery as Partial<MemoryDelivery>)[ticketOf]
}

export function deliveryFor(ticket: Ticket, message: Message, heldUntil: number): MemoryDelivery {
  const { entry, claimant } = ticket
  const delivery = {
    message,
    address: claimant.address,
    position: entry.position,
    deliveries: entry.deliveries,
    turns: entry.turns,
    suspect: entry.suspect,
    heldUntil,
    enqueuedAt: entry.enqueuedAt,
    hold: claimant.hold,
    [ticketOf]: ticket,
  }
  return entry.lane === undefined ? delivery : { ...delivery, lane: entry.lane.name }
}
