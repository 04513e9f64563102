import { decodeMessage, type Envelope } from '../../core/envelope.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import type { Clock } from '../../core/ports.ts'
import { createHandle, OwnHold } from '../handle.ts'
import type { Address, Delivery, Settlement } from '../seam.ts'
import type { Claimed, Hold } from './protocol.ts'

/** What a receiver wants to know about the deliveries that it claimed. */
export interface Account {
  came(held: Held): void
  /** Settled or lost. */
  left(held: Held): void
  /** How it is being settled. */
  settles(held: Held, kind: Settlement['kind']): void
  /** Called with 1 when a settlement departs that the store may take only after a later claim, and with -1 when it is answered. */
  departed(change: 1 | -1): void
}

/** A delivery as this transport knows it, from the claim until it is settled or lost. */
export interface Held {
  readonly hold: Hold
  readonly position: string
  readonly suspect: boolean
  /** Its turn was counted when it was claimed. */
  readonly counted: boolean
  readonly channel: number
  readonly address: Address
  readonly lane: string | null
  readonly account: Account
  until: number
  /** Its receiver counts it. */
  inHand?: boolean | undefined
  settling?: Promise<void> | undefined
  loss?: RedriveError | undefined
  controller?: AbortController | undefined
}

const { key, heldOf: find } = createHandle<Held>()
export const heldOf: (delivery: Delivery) => Held = find

/** What this process holds. */
export interface Holdings {
  add(held: Held): void
  /** It has been settled. */
  remove(held: Held): void
  /** Somebody else has it now: its signal aborts, and later settlements reject. */
  lose(held: Held): void
  find(hold: Hold): Held | undefined
  all(): Held[]
}

export function createHoldings(clock: Pick<Clock, 'now'>): Holdings {
  const byId = new Map<number, Held>()

  /** Once, whoever says so first: its settlement, or the news that it is lost, which may cross each other. */
  function remove(held: Held): void {
    if (!held.inHand) return
    held.inHand = false
    if (byId.get(held.hold.id) === held) byId.delete(held.hold.id)
    held.account.left(held)
  }

  function lose(held: Held): void {
    if (held.loss) return
    held.loss = new RedriveError(
      'hold-lost',
      `Message ${held.position} is no longer ours: its lock expired and it was handed to somebody else.`,
    )
    remove(held)
    held.controller?.abort(held.loss)
    for (const sibling of overdueBehind(held)) lose(sibling)
  }

  /** Who took a lane over has its later messages next; run here meanwhile, they would overtake the one that was lost. */
  function overdueBehind({ channel, lane, hold }: Held): Held[] {
    if (lane === null) return []
    return [...byId.values()].filter(
      (held) => held.lane === lane && held.channel === channel && held.hold.id > hold.id && held.until <= clock.now(),
    )
  }

  return {
    add(held) {
      // It was lost while it was being settled.
      if (held.loss) return
      const other = byId.get(held.hold.id)
      held.inHand = true
      held.account.came(held)
      // Its settlement failed, and a claim of ours has brought it once more meanwhile.
      if (other && other.hold.fence > held.hold.fence) return lose(held)
      byId.set(held.hold.id, held)
      // When our own claim brings what we thought we held, the older delivery has been lost.
      if (other && !other.settling) lose(other)
    },
    remove,
    lose,
    find(hold) {
      const held = byId.get(hold.id)
      return held?.hold.fence === hold.fence ? held : undefined
    },
    all: () => [...byId.values()],
  }
}

/** What a claim brought, not yet decoded: what is released again was never worth decoding. */
export interface Parcel {
  readonly held: Held
  readonly claimed: Claimed
  readonly index: number
  readonly envelope: Envelope
  readonly body: Uint8Array | null
}

export function openParcel(parcel: Parcel): Delivery {
  return new LeasedDelivery(parcel)
}

/** A class, because one is made for every message: of an object that is written down with a symbol among its members, each is added by itself. */
class LeasedDelivery implements Delivery {
  readonly message: Message
  readonly address: Address
  readonly position: string
  readonly deliveries: number
  readonly turns: number
  readonly suspect: boolean
  readonly heldUntil: number
  readonly enqueuedAt: number
  readonly hold: OwnHold
  declare readonly lane?: string;
  [own: symbol]: Held

  constructor({ held, claimed, index, envelope, body }: Parcel) {
    this.message = decodeMessage(envelope, body)
    this.address = held.address
    this.position = held.position
    this.deliveries = held.hold.fence
    this.turns = claimed.turns[index] ?? 0
    this.suspect = held.suspect
    this.heldUntil = held.until
    this.enqueuedAt = claimed.sentAt[index] ?? 0
    this.hold = new OwnHold(held)
    this[key] = held
    if (held.lane !== null) this.lane = held.lane
  }
}
