import type { Clock } from '../../../src/core/ports.ts'
import type { Address, Delivery } from '../../../src/transports/seam.ts'
import { type Arrivals, createArrivals } from './arrivals.ts'
import { sharedHold } from './connection.ts'
import type { Partition } from './partition.ts'
import { type Ticket, withTicket } from './tickets.ts'

/** Who reads which partition, in generations. */
export interface Group {
  readonly arrivals: Arrivals
  join(): Member
  /** Hands every partition out anew. */
  rebalance(): void
}

export interface Member {
  /** Whether it has been given this message, and nobody has taken it away. */
  owns(id: string): boolean
  handOut(address: Address, max: number): readonly Delivery[]
  /** Takes no more; what it has can still be committed. */
  stopFetching(): void
  /** Gives its partitions to the others. */
  leave(): void
  /** Is not heard of any more: the others get its partitions when its session is over. */
  vanish(): void
}

const sessionTimeout = 10_000

export function createGroup(partitions: readonly Partition[], clock: Clock): Group {
  const arrivals = createArrivals()
  let members: Assigned[] = []

  function rebalance(): void {
    for (const member of members) member.assign([])
    for (const [index, member] of members.entries()) {
      member.assign(partitions.filter(({ number }) => number % members.length === index))
    }
    arrivals.tell()
  }

  function remove(member: Assigned): void {
    if (!members.includes(member)) return
    members = members.filter((other) => other !== member)
    member.assign([])
    rebalance()
  }

  return {
    arrivals,
    rebalance,
    join() {
      const member = assigned()
      members.push(member)
      rebalance()
      return {
        owns: member.owns,
        handOut: member.handOut,
        stopFetching: member.stopFetching,
        leave: () => remove(member),
        vanish() {
          member.lose()
          clock.after(sessionTimeout, () => remove(member))
        },
      }
    },
  }
}

interface Assigned {
  owns(id: string): boolean
  assign(partitions: readonly Partition[]): void
  handOut(address: Address, max: number): readonly Delivery[]
  stopFetching(): void
  /** Its side of the connection is gone; the group does not know yet. */
  lose(): void
}

interface Reading {
  readonly partition: Partition
  readonly hold: ReturnType<typeof sharedHold>
  readonly out: Map<number, Ticket<Fetched>>
}

/** What a settlement does to a record. */
interface Fetched {
  complete(): void
  release(): void
}

function assigned(): Assigned {
  let readings: Reading[] = []
  let fetching = true

  function lose(): void {
    const before = readings
    readings = []
    for (const { out } of before) for (const ticket of out.values()) ticket.state = 'lost'
    for (const { hold } of before) hold.lose()
  }

  function give({ partition, hold, out }: Reading, offset: number, address: Address): Delivery {
    const before = partition.begun(offset)
    partition.begin(offset)
    const end = (tell: () => void) => (): void => {
      out.delete(offset)
      tell()
    }
    const fetched = { complete: end(() => partition.complete(offset)), release: end(() => partition.forget(offset, before)) }
    const ticket: Ticket<Fetched> = { stored: fetched, state: 'held' }
    out.set(offset, ticket)
    const place = { position: `${partition.number}:${offset}`, lane: String(partition.number) }
    const told = { deliveries: 1, turns: before?.turns ?? 0, suspect: before !== undefined }
    const ours = { heldUntil: Number.POSITIVE_INFINITY, hold: hold.hold }
    return withTicket({ message: partition.message(offset), address, ...place, ...told, ...ours }, ticket)
  }

  /** The next record that is not done and not out. */
  function nextOf({ partition, out }: Reading): number | undefined {
    let offset = partition.nextUndone(0)
    while (offset !== undefined && out.has(offset)) offset = partition.nextUndone(offset + 1)
    return offset
  }

  return {
    owns: (id) => readings.some(({ partition, out }) => [...out.keys()].some((offset) => partition.message(offset).id === id)),
    assign(partitions) {
      lose()
      readings = partitions.map((partition) => ({ partition, hold: sharedHold(), out: new Map() }))
    },
    handOut(address, max) {
      const batch: Delivery[] = []
      for (const reading of fetching ? readings : []) {
        for (let offset = nextOf(reading); offset !== undefined && batch.length < max; offset = nextOf(reading)) {
          const isSuspect = reading.partition.begun(offset) !== undefined
          if (isSuspect && batch.length > 0) break
          batch.push(give(reading, offset, address))
          if (isSuspect) return batch
        }
      }
      return batch
    },
    stopFetching() {
      fetching = false
    },
    lose,
  }
}
