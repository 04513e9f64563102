import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { createHandle } from '../handle.ts'
import type { Address, Delivery } from '../seam.ts'

/** A delivery as a transport knows it, from its arrival until it is settled or lost. */
export interface Held<Queue> {
  readonly queue: Queue
  /** What tells this queue from all others of the server. */
  readonly place: string
  readonly address: Address
  readonly id: string
  /** By which the server knows this delivery; some servers give another when it is extended. */
  receipt: string
  /** The server's number of this delivery. */
  readonly count: number
  readonly turns: number
  readonly suspect: boolean
  readonly lane: string | undefined
  /** When the request was made that brought it; on our clock, which never goes back. */
  readonly since: number
  /** On the same clock. */
  readonly arrivedAt: number
  /** On the same clock. The server's own began later, so that it is ours at least so long. */
  until: number
  /** The how-manieth of all that this process was given. */
  arrival?: number
  /** Given to whoever took it; before that it cannot have run. */
  handedOut?: true
  settling?: Promise<void>
  /** It is being extended: what is decided about it comes behind that. */
  extending?: Promise<void>
  loss?: RedriveError
  controller?: AbortController
}

/** What a transport gives out, and how it finds again what it knows about it. */
export interface Handles<Queue> {
  heldOf(delivery: Delivery): Held<Queue>
  withHandle(delivery: Delivery, held: Held<Queue>): Delivery
}

export function createHandles<Queue>(): Handles<Queue> {
  const { key, heldOf } = createHandle<Held<Queue>>()
  return { heldOf, withHandle: (delivery, held) => ({ ...delivery, [key]: held }) }
}

/** What this process holds. */
export interface Holdings<Queue> {
  add(held: Held<Queue>): void
  /** It is being settled. */
  remove(held: Held<Queue>): void
  /** Its hold is over: its signal aborts, and later settlements reject. */
  lose(held: Held<Queue>): void
  /** Loses what is over by our own clock: a server need not refuse the settlement of a delivery that is over. */
  loseOverdue(): void
  all(): readonly Held<Queue>[]
}

/** `neverRan` is told of what was lost and cannot have been begun. */
export function createHoldings<Queue>(clock: Pick<Clock, 'monotonic'>, neverRan: (held: Held<Queue>) => void): Holdings<Queue> {
  const all = new Set<Held<Queue>>()
  let arrivals = 0

  function lose(held: Held<Queue>): void {
    if (held.loss) return
    const behind = behindIn(held)
    if (!held.handedOut) neverRan(held)
    all.delete(held)
    held.loss = new RedriveError('hold-lost', `Message ${held.id} is no longer ours: its visibility timeout has passed.`)
    held.controller?.abort(held.loss)
    for (const sibling of behind) loseUnbegun(sibling)
  }

  /** Who keeps the order of a lane does not begin one before those ahead of it are settled; who does not keep it has the first of them counted. */
  function loseUnbegun(held: Held<Queue>): void {
    if (!held.loss && held.handedOut) neverRan(held)
    lose(held)
  }

  /** Completed before the one that was lost, they would have overtaken it. */
  function behindIn(held: Held<Queue>): Held<Queue>[] {
    if (held.lane === undefined) return []
    const { lane, place, arrival = 0 } = held
    return [...all].filter((other) => other.lane === lane && other.place === place && (other.arrival ?? 0) > arrival)
  }

  return {
    add(held) {
      // One that could not be settled comes again, and stands where it stood.
      held.arrival ??= ++arrivals
      all.add(held)
    },
    remove: (held) => all.delete(held),
    lose,
    loseOverdue() {
      const now = clock.monotonic()
      for (const held of [...all]) if (held.until <= now) lose(held)
    },
    all: () => [...all],
  }
}
