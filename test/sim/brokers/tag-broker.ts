import { RedriveError } from '../../../src/core/errors.ts'
import type { Message } from '../../../src/core/message.ts'
import type { Clock } from '../../../src/core/ports.ts'
import type { Capabilities } from '../../../src/transports/capabilities.ts'
import type { Address, Delivery } from '../../../src/transports/seam.ts'
import type { Topology } from '../../../src/transports/topology.ts'
import { afterDelay } from './after-delay.ts'
import { type Arrivals, createArrivals } from './arrivals.ts'
import { connectionOf, type FamilyVerbs, sharedHold } from './connection.ts'
import { barest } from './plain-messages.ts'
import { createRefusals } from './refusals.ts'
import type { SimBroker } from './sim-broker.ts'
import { type Ticket, ticketOf, toSettle, withTicket } from './tickets.ts'

interface Stored {
  readonly queue: Queue
  readonly place: number
  readonly message: Message
  deliveries: number
}

interface Queue {
  readonly arrivals: Arrivals
  readonly deadLetterTo: string | undefined
  ready: Stored[]
  unacknowledged: number
  delayed: number
}

/**
 * A channel and its delivery tags. What a lost channel had not acknowledged stands at its old place again, marked as redelivered.
 * A quorum queue counts deliveries, and keeps what it rejects until the dead-letter queue has it; a classic queue counts nothing.
 */
export function tagBroker(clock: Clock, counts: 'deliveries' | 'copies'): SimBroker {
  const queues = new Map<string, Queue>()
  const refusals = createRefusals()
  const refused = new Set<string>()
  let places = 0
  const capabilities: Capabilities = {
    ...barest,
    hold: 'connection',
    counts,
    ordering: 'none',
    deadLetter: { native: true, carriesFailure: false },
  }

  function queue(name: string): Queue {
    const found = queues.get(name)
    if (!found) throw new RedriveError('unknown-channel', `${name} does not exist.`)
    return found
  }

  function declare({ channels }: Topology): void {
    for (const { address, deadLetterTo } of channels) {
      if (queues.has(address.name)) continue
      const empty = { ready: [], unacknowledged: 0, delayed: 0, arrivals: createArrivals() }
      queues.set(address.name, { ...empty, deadLetterTo: deadLetterTo?.name })
    }
  }

  function write(name: string, message: Message, delay = 0): void {
    const to = queue(name)
    const arrive = (): void => putBack({ queue: to, place: places++, message, deliveries: 0 })
    to.delayed++
    afterDelay(clock, delay, () => {
      to.delayed--
      arrive()
    })
  }

  function putBack(stored: Stored): void {
    const { ready, arrivals } = stored.queue
    const at = ready.findIndex(({ place }) => place > stored.place)
    ready.splice(at === -1 ? ready.length : at, 0, stored)
    arrivals.tell()
  }

  /** At least once: it is tried again until the dead-letter queue takes it, and until then it is still here. */
  function bury(stored: Stored): void {
    const { deadLetterTo } = stored.queue
    if (deadLetterTo === undefined) return
    stored.queue.delayed++
    const attempt = (): void => {
      if (refused.has(deadLetterTo)) return void clock.after(1000, attempt)
      stored.queue.delayed--
      write(deadLetterTo, stored.message)
    }
    attempt()
  }

  function verbs(held: Set<Ticket<Stored>>): FamilyVerbs {
    let channel = sharedHold()

    function give(stored: Stored, address: Address): Delivery {
      const ticket: Ticket<Stored> = { stored, state: 'held' }
      held.add(ticket)
      stored.deliveries++
      stored.queue.unacknowledged++
      const { deliveries, message } = stored
      const counted = counts === 'deliveries' ? { deliveries, turns: deliveries - 1 } : { deliveries: 1, turns: 0 }
      const heldUntil = Number.POSITIVE_INFINITY
      return withTicket({ message, address, ...counted, suspect: deliveries > 1, heldUntil, hold: channel.hold }, ticket)
    }

    function end(ticket: Ticket<Stored>, state: 'settled' | 'lost'): Stored {
      ticket.state = state
      held.delete(ticket)
      ticket.stored.queue.unacknowledged--
      return ticket.stored
    }

    function returnAll(): void {
      for (const ticket of [...held]) putBack(end(ticket, 'lost'))
    }

    return {
      name: 'sim-tag',
      capabilities,
      async provision(wanted) {
        declare(wanted)
        return []
      },
      async extend(delivery) {
        if (ticketOf(delivery).state !== 'held') throw new RedriveError('hold-lost', 'The channel is gone.')
        return Number.POSITIVE_INFINITY
      },
      async settle(delivery, settlement) {
        const ticket = toSettle<Stored>(delivery)
        if (!ticket) return
        if (settlement.kind === 'retry' || settlement.kind === 'move') throw new RedriveError('unsupported', 'Send a copy.')
        const stored = end(ticket, 'settled')
        if (settlement.kind === 'release') putBack(stored)
        if (settlement.kind === 'reject') bury(stored)
      },
      async send({ name }, message, options) {
        write(name, message, options?.delay)
        return { duplicate: false }
      },
      handOut: (address, _, max) =>
        queue(address.name)
          .ready.splice(0, max)
          .map((stored) => give(stored, address)),
      join: ({ name }) => void queue(name),
      leave() {},
      onArrival: ({ name }, wake) => queue(name).arrivals.listen(wake),
      lose() {
        const before = channel
        channel = sharedHold()
        returnAll()
        before.lose()
      },
      release: returnAll,
    }
  }

  return {
    family: 'tag',
    connect(faults) {
      refusals.reach(faults)
      const held = new Set<Ticket<Stored>>()
      const owns = (id: string): boolean => [...held].some(({ stored }) => stored.message.id === id)
      return { transport: connectionOf(verbs(held), faults, clock), owns }
    },
    put: async (channel, message) => write(channel, message),
    async left(channel) {
      const { ready, unacknowledged, delayed } = queue(channel)
      return ready.length + unacknowledged + delayed
    },
    messagesIn: async (channel) => queue(channel).ready.map(({ message }) => message),
    refuse(channel) {
      refused.add(channel)
      const accept = refusals.begin(channel)
      return () => {
        refused.delete(channel)
        accept()
      }
    },
    disturb() {},
  }
}
