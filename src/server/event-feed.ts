import type { Change, ControlPlane } from '../ops/control-plane.ts'

export interface FeedEvent {
  readonly id: string
  readonly change: Change
}

/** The last changes, each with an id by which a client that lost its connection says what it has seen. */
export interface EventFeed {
  /** What came after this event; `undefined` when that is not known any more, and the client has to look at everything anew. */
  since(id: string): readonly FeedEvent[] | undefined
  /** The id of the last one. */
  latest(): string
  /** Calls back for everything from now on; the result ends that. */
  listen(listener: (event: FeedEvent) => void): () => void
  close(): void
}

const remembered = 1000

/** `epoch` is another one at every start of the server: ids of another run mean nothing in this one. */
export function createEventFeed(controlPlane: ControlPlane, epoch: string): EventFeed {
  const ring: FeedEvent[] = []
  const listeners = new Set<(event: FeedEvent) => void>()
  let counted = 0

  const stop = controlPlane.onChange((change) => {
    counted++
    const event = { id: `${epoch}-${counted}`, change }
    ring.push(event)
    if (ring.length > remembered) ring.shift()
    for (const listener of listeners) listener(event)
  })

  return {
    since(id) {
      const [run, number] = id.split('-')
      const seen = Number(number)
      if (run !== epoch || !Number.isInteger(seen) || seen < counted - ring.length || seen > counted) return undefined
      return ring.slice(ring.length - (counted - seen))
    },
    latest: () => `${epoch}-${counted}`,
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      stop()
      listeners.clear()
    },
  }
}
