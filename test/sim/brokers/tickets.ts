import { RedriveError } from '../../../src/core/errors.ts'
import type { Delivery } from '../../../src/transports/seam.ts'

/** One hand-out of one stored message, as its broker sees it. */
export interface Ticket<Stored> {
  readonly stored: Stored
  state: 'held' | 'settled' | 'lost'
}

const ticketKey: unique symbol = Symbol('ticket')

/** The native handle of a delivery: opaque to everybody but the broker that gave it. */
export function withTicket<Stored>(delivery: Delivery, ticket: Ticket<Stored>): Delivery {
  return { ...delivery, [ticketKey]: ticket } as Delivery
}

export function ticketOf<Stored>(delivery: Delivery): Ticket<Stored> {
  return (delivery as Delivery & { readonly [ticketKey]: Ticket<Stored> })[ticketKey]
}

/** The ticket, when it is to be settled now; nothing when it is settled already. */
export function toSettle<Stored>(delivery: Delivery): Ticket<Stored> | undefined {
  const ticket = ticketOf<Stored>(delivery)
  if (ticket.state === 'settled') return undefined
  if (ticket.state === 'held') return ticket
  throw new RedriveError('hold-lost', 'The delivery is no longer ours.')
}
