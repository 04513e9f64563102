import { decodeMessage, type Envelope } from '../../core/envelope.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Address, Delivery, Settlement, Hold as SharedHold } from '../seam.ts'
import type { Claimed, Hold } from './protocol.ts'

/** What a receiver wants to know about the deliveries that it claimed. */
export interface Account {
  came(held: Held): void
  /** Settled or lost. */
  left(held: Held): void
  /** How it is being settled. */
  settles(held: Held, kind: Settlement['kind']): void
}

/** A delivery as this transport knows it, from the claim until it is settled or lost. */
export interface Held {
  readonly hold: Hold
  readonly suspect: boolean
  readonly address: Address
  readonly lane: string | null
  readonly account: Account
  until: number
  settling?: Promise<void>
  loss?: RedriveError
  controller?: AbortController
}

/** The native handle stands under a symbol: a delivery that was copied still has it, and nobody meets it by accident. */
const handle: unique symbol = Symbol('held')

interface OwnDelivery extends Delivery {
  readonly [handle]: Held
}

export function heldOf(delivery: Delivery): Held {
  const held = (delivery as OwnDelivery)[handle]
  if (held === undefined) throw new RedriveError('bad-option', 'This delivery was given by another transport.')
  return held
}

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

export function createHoldings(): Holdings {
  const byId = new Map<number, Held>()

  function remove(held: Held): void {
    if (byId.get(held.hold.id) === held) byId.delete(held.hold.id)
    held.account.left(held)
  }

  function lose(held: Held): void {
    if (held.loss) return
    held.loss = new RedriveError(
      'hold-lost',
      `Message ${held.hold.id} is no longer ours: its lock expired and it was handed to somebody else.`,
    )
    remove(held)
    held.controller?.abort(held.loss)
  }

  return {
    add(held) {
      // When our own claim brings what we thought we held, the older delivery has been lost.
      const older = byId.get(held.hold.id)
      byId.set(held.hold.id, held)
      held.account.came(held)
      if (older && !older.settling) lose(older)
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

export function openParcel({ held, claimed, index, envelope, body }: Parcel): Delivery {
  const delivery = {
    [handle]: held,
    message: decodeMessage(envelope, body),
    address: held.address,
    position: String(held.hold.id),
    deliveries: held.hold.fence,
    turns: claimed.turns[index] ?? 0,
    suspect: held.suspect,
    heldUntil: held.until,
    enqueuedAt: claimed.sentAt[index] ?? 0,
    hold: new OwnHold(held),
  }
  return held.lane === null ? delivery : { ...delivery, lane: held.lane }
}

/** Every lease ends by itself, so every delivery has a hold of its own; most are never looked at, and then cost no signal. */
class OwnHold implements SharedHold {
  readonly single = true
  readonly #held: Held

  constructor(held: Held) {
    this.#held = held
  }

  get signal(): AbortSignal {
    const held = this.#held
    held.controller ??= new AbortController()
    if (held.loss && !held.controller.signal.aborted) held.controller.abort(held.loss)
    return held.controller.signal
  }
}
