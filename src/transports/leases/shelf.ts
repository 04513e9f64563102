import type { Address } from '../seam.ts'
import type { Account, Held, Parcel } from './holdings.ts'
import type { Claim, Claimed } from './protocol.ts'

/** What was claimed and not yet given, oldest claim first. */
export interface Shelf {
  readonly size: number
  readonly oldest: Held | undefined
  put(parcels: readonly Parcel[]): void
  /** At most so many from the front; a suspect alone. */
  take(max: number): Parcel[]
  withdraw(which: (held: Held) => boolean): Parcel[]
}

export function createShelf(): Shelf {
  let parcels: Parcel[] = []
  return {
    get size() {
      return parcels.length
    },
    get oldest() {
      return parcels[0]?.held
    },
    put(more) {
      parcels.push(...more)
    },
    take(max) {
      const suspect = parcels.findIndex(({ held }) => held.suspect)
      const count = suspect < 0 ? max : Math.min(max, Math.max(suspect, 1))
      const taken = parcels.slice(0, count)
      parcels = parcels.slice(count)
      return taken
    },
    withdraw(which) {
      const withdrawn = parcels.filter(({ held }) => which(held))
      if (withdrawn.length > 0) parcels = parcels.filter(({ held }) => !which(held))
      return withdrawn
    },
  }
}

interface Origin {
  readonly channel: number
  readonly address: Address
}

/** One parcel for each delivery of a claim. */
export function unpack(claimed: Claimed, { until, suspects }: Claim, origin: Origin, account: Account): Parcel[] {
  return claimed.stored.map(({ envelope, body }, index) => ({
    held: {
      hold: { id: claimed.ids[index] ?? 0, fence: claimed.deliveries[index] ?? 0 },
      position: claimed.positions?.[index] ?? String(claimed.ids[index]),
      suspect: claimed.suspect,
      counted: claimed.suspect && suspects === 'alone',
      channel: origin.channel,
      address: origin.address,
      lane: claimed.lanes[index] ?? null,
      account,
      until,
      // All of them from the beginning: what is added later stands apart from the rest of an object.
      inHand: false,
      settling: undefined,
      loss: undefined,
      controller: undefined,
    },
    claimed,
    index,
    envelope,
    body,
  }))
}
