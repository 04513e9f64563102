import { RedriveError } from '../../../src/core/errors.ts'
import type { Message } from '../../../src/core/message.ts'
import type { Cancel, Clock } from '../../../src/core/ports.ts'
import type { Capabilities } from '../../../src/transports/capabilities.ts'
import type { Address, Delivery } from '../../../src/transports/seam.ts'
import { afterDelay } from './after-delay.ts'
import { type Arrivals, createArrivals } from './arrivals.ts'
import { connectionOf, type FamilyVerbs } from './connection.ts'
import { barest, week } from './plain-messages.ts'
import { createRefusals } from './refusals.ts'
import type { SimBroker } from './sim-broker.ts'
import { type Ticket, toSettle, withTicket } from './tickets.ts'

interface Stored {
  readonly stream: Stream
  readonly sequence: number
  readonly message: Message
  deliveries: number
  /** Ends the wait for an acknowledgement. */
  redeliver: Cancel | undefined
}

interface Stream {
  readonly arrivals: Arrivals
  readonly all: Set<Stored>
  ready: Stored[]
}

const capabilities: Capabilities = {
  ...barest,
  hold: 'lock',
  counts: 'deliveries',
  retry: { by: 'native', inPlace: true, maxDelay: week, headers: false },
  ordering: 'none',
}

/**
 * Given out until it is acknowledged, or until a timer runs out that belongs to the message and to no connection: what a dead
 * consumer held comes back when its time is over and not before. The server counts deliveries, its own redeliveries included.
 */
export function pendingBroker(clock: Clock): SimBroker {
  const streams = new Map<string, Stream>()
  const refusals = createRefusals()
  /** A hold that nobody can hear the end of: the server's timer runs whoever is still connected, and tells no one. */
  const unheard = { single: true, signal: new AbortController().signal }
  let sequences = 0

  function stream(name: string): Stream {
    const found = streams.get(name)
    if (!found) throw new RedriveError('unknown-channel', `${name} does not exist.`)
    return found
  }

  function write(name: string, message: Message, delay = 0): void {
    const to = stream(name)
    const stored: Stored = { stream: to, sequence: ++sequences, message, deliveries: 0, redeliver: undefined }
    to.all.add(stored)
    afterDelay(clock, delay, () => offer(stored))
  }

  function offer(stored: Stored): void {
    stored.stream.ready.push(stored)
    stored.stream.arrivals.tell()
  }

  function waitForAnswer(ticket: Ticket<Stored>, holdFor: number): void {
    const { stored } = ticket
    stored.redeliver?.()
    stored.redeliver = clock.after(holdFor, () => {
      ticket.state = 'lost'
      offer(stored)
    })
  }

  function give(stored: Stored, address: Address, holdFor: number): Delivery {
    const ticket: Ticket<Stored> = { stored, state: 'held' }
    stored.deliveries++
    waitForAnswer(ticket, holdFor)
    const { deliveries, message, sequence } = stored
    const told = { deliveries, turns: deliveries - 1, suspect: deliveries > 1, heldUntil: clock.now() + holdFor, hold: unheard }
    return withTicket({ message, address, position: String(sequence), ...told }, ticket)
  }

  function answered(ticket: Ticket<Stored>): Stored {
    ticket.state = 'settled'
    ticket.stored.redeliver?.()
    ticket.stored.redeliver = undefined
    return ticket.stored
  }

  function verbs(): FamilyVerbs {
    return {
      name: 'sim-pending',
      capabilities,
      async provision({ channels }) {
        for (const { address } of channels) {
          if (!streams.has(address.name)) streams.set(address.name, { arrivals: createArrivals(), all: new Set(), ready: [] })
        }
        return []
      },
      async extend(delivery, ms) {
        const ticket = toSettle<Stored>(delivery)
        if (ticket) waitForAnswer(ticket, ms)
        return clock.now() + ms
      },
      async settle(delivery, settlement) {
        const ticket = toSettle<Stored>(delivery)
        if (!ticket) return
        if (settlement.kind === 'reject' || settlement.kind === 'move') throw new RedriveError('unsupported', 'Send a copy.')
        const stored = answered(ticket)
        if (settlement.kind === 'complete') stored.stream.all.delete(stored)
        else afterDelay(clock, settlement.kind === 'retry' ? settlement.delay : 0, () => offer(stored))
      },
      async send({ name }, message, options) {
        write(name, message, options?.delay)
        return { duplicate: false }
      },
      handOut: (address, holdFor, max) =>
        stream(address.name)
          .ready.splice(0, max)
          .map((stored) => give(stored, address, holdFor)),
      join: ({ name }) => void stream(name),
      leave() {},
      onArrival: ({ name }, wake) => stream(name).arrivals.listen(wake),
      lose() {},
      release() {},
    }
  }

  return {
    family: 'pending',
    connect(faults) {
      refusals.reach(faults)
      return { transport: connectionOf(verbs(), faults, clock), owns: () => true }
    },
    put: async (channel, message) => write(channel, message),
    left: async (channel) => stream(channel).all.size,
    messagesIn: async (channel) => [...stream(channel).all].map(({ message }) => message),
    refuse: refusals.begin,
    disturb() {},
  }
}
