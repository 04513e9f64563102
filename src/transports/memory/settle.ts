import { RedriveError } from '../../core/errors.ts'
import type { Delivery, Settlement } from '../seam.ts'
import type { MemoryBroker } from './broker.ts'
import { type Ticket, ticketFor } from './entry.ts'

/** One synchronous step: either all of it happened or it throws and nothing did. */
export function settleNow(broker: MemoryBroker, delivery: Delivery, settlement: Settlement): void {
  const ticket = ticketFor(delivery)
  if (ticket?.state === 'settled') return
  carryOut(broker, holdOf(ticket), settlement)
}

export function holdOf(ticket: Ticket | undefined): Ticket {
  if (ticket?.state === 'held') return ticket
  throw new RedriveError('hold-lost', 'The delivery is no longer ours: the message is or will be delivered again.')
}

function carryOut(broker: MemoryBroker, ticket: Ticket, settlement: Settlement): void {
  const { channel, entry } = ticket
  switch (settlement.kind) {
    case 'release':
      channel.release(ticket)
      return
    case 'retry':
      channel.retry(ticket, settlement.delay, settlement.headers ?? [])
      return
    case 'reject':
      broker.bury(entry, channel, settlement.failure)
      break
    case 'move':
      broker.inspect(settlement.message)
      broker.open(settlement.to).put(settlement.message, settlement.delay ?? 0)
      break
  }
  channel.complete(ticket)
}
