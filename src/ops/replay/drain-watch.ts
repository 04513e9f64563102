import { hasCode, RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { Destination } from '../../vault/replay-rows.ts'
import type { TransportNamed } from './send-letter.ts'

/**
 * Whether what was sent somewhere has been taken up by now. A letter that has not come back proves nothing while it still waits in its queue
 * behind a consumer that is down or paused; only once the queue was seen empty has somebody had it.
 */
export interface DrainWatch {
  /** Looks at a destination, unless that was done a moment ago. */
  look(destination: Destination): Promise<void>
  /** The last moment up to `until` at which it was empty; where the broker cannot say how much lies there, `until` itself. */
  emptyBy(destination: Destination, until: number): number | undefined
  /** Since when there is no such channel, or nobody knows its broker any more. */
  goneSince(destination: Destination): number | undefined
}

interface Seen {
  lookedAt: number
  /** Moments at which it was empty, the latest last. */
  readonly empty: number[]
  cannotSay: boolean
  goneSince: number | undefined
  /** For how long a consumer may have held the last one, unseen, after the queue looked empty. */
  unseen: number
}

const leastPause = 500
const spread = 200

/** `observe`: for how long back it must be known. What is known is spread over that time, so that it never grows. */
export function createDrainWatch(transportNamed: TransportNamed, clock: Clock, observe: number): DrainWatch {
  const seen = new Map<string, Seen>()

  function seenOf(destination: Destination): Seen {
    const key = JSON.stringify(destination)
    const known = seen.get(key) ?? {
      lookedAt: Number.NEGATIVE_INFINITY,
      empty: [],
      cannotSay: false,
      goneSince: undefined,
      unseen: 0,
    }
    seen.set(key, known)
    return known
  }

  return {
    async look(destination) {
      const known = seenOf(destination)
      const now = clock.now()
      if (now - known.lookedAt < leastPause) return
      known.lookedAt = now
      try {
        const { connection, channel, group } = destination
        const transport = transportNamed(connection)
        if (!transport) throw new RedriveError('unknown-channel', `Nobody knows the connection ${connection}.`)
        const measured = await transport.measure({ name: channel, ...(group !== undefined && { group }) })
        known.goneSince = undefined
        if (measured.pending !== 0) return
        const { heldUnseen = 0, lateBy = 0 } = measured
        known.unseen = heldUnseen
        if (now - lateBy - (known.empty.at(-1) ?? 0) >= (observe + heldUnseen) / spread) known.empty.push(now - lateBy)
        while (known.empty.length > 1 && (known.empty[1] ?? now) <= now - observe - known.unseen) known.empty.shift()
      } catch (error) {
        // Any other failure passes, and says nothing about the queue.
        known.cannotSay = hasCode(error, 'unsupported')
        if (hasCode(error, 'unknown-channel')) known.goneSince ??= now
      }
    },
    goneSince: (destination) => seenOf(destination).goneSince,
    emptyBy(destination, until) {
      const { empty, cannotSay, unseen } = seenOf(destination)
      return cannotSay ? until : empty.findLast((at) => at <= until - unseen)
    },
  }
}
