import type { Held } from './held.ts'

/** Where on their link the messages in our hands stand. */
export interface LinkPlaces {
  /** How many messages the link has brought. */
  readonly brought: number
  /** One of them stays in our hands while its neighbours come and go, and would stop them in the end. */
  readonly isStretched: boolean
  /** Of those in our hands. */
  readonly oldest: Held | undefined
  arrived(held: Held): void
  left(held: Held): void
  /** The link is another one: what came before stands on it no more. */
  attachedAnew(): void
}

/**
 * Rhea has room for 2,048 deliveries of a link, counted from the oldest that is not settled, and the service sends nothing beyond. What was
 * asked for must still come, and not one by one.
 */
const longestStretch = 1024

export function linkPlaces(): LinkPlaces {
  /** The oldest first, and the how-manieth each of them was. */
  const places = new Map<Held, number>()
  let brought = 0
  return {
    get brought() {
      return brought
    },
    get isStretched() {
      const [oldest = brought] = places.values()
      return brought - oldest >= longestStretch
    },
    get oldest() {
      const [oldest] = places.keys()
      return oldest
    },
    arrived: (held) => void places.set(held, ++brought),
    left: (held) => void places.delete(held),
    attachedAnew: () => places.clear(),
  }
}
