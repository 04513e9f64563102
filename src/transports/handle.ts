import { RedriveError } from '../core/errors.ts'
import type { Delivery, Hold } from './seam.ts'

/** How a transport finds again what it knows about a delivery that it gave. */
export interface Handle<Held> {
  /** What is known stands under it in the delivery: one that was copied still has it, and nobody meets it by accident. */
  readonly key: symbol
  heldOf(delivery: Delivery): Held
}

/** Each has a symbol of its own, so that deliveries of others are told from ours. */
export function createHandle<Held>(): Handle<Held> {
  const key = Symbol('held')
  return {
    key,
    heldOf(delivery) {
      const held = (delivery as Delivery & { readonly [own: symbol]: Held | undefined })[key]
      if (held === undefined) throw new RedriveError('bad-option', 'This delivery was given by another transport.')
      return held
    },
  }
}

/** What can be taken over by somebody else. */
export interface Losable {
  readonly loss?: RedriveError | undefined
  controller?: AbortController | undefined
}

/** A hold that ends by itself, alone unless it is told otherwise; most are never looked at, and then cost no signal. */
export class OwnHold implements Hold {
  readonly single: boolean
  readonly #held: Losable

  constructor(held: Losable, single = true) {
    this.#held = held
    this.single = single
  }

  get signal(): AbortSignal {
    const held = this.#held
    held.controller ??= new AbortController()
    if (held.loss && !held.controller.signal.aborted) held.controller.abort(held.loss)
    return held.controller.signal
  }
}
