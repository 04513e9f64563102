import type { Cancel, Clock } from '../../core/ports.ts'
import { type Held, notBefore } from './held.ts'

/**
 * The messages of one session in our hands that are not to be given out yet. One that was abandoned comes again, and those behind it
 * wait for it; one that is to be retried later waits for its time, and in a session that is a lane so do those behind it.
 */
export interface SessionLine {
  arrived(held: Held): void
  /** It was given back and will come again; or, after all, not. */
  returning(held: Held, comes: boolean): void
  /** It is not ours any more; what is to come again is asked for from now on. */
  left(held: Held): void
  /** Whether it is to come again. */
  awaits(held: Held): boolean
  awaitsAny(): boolean
  /** Nothing more comes here: takes out what waits for something that was to come again, which must neither wait for it nor pass it by. */
  takeStranded(): Held[]
  end(): void
}

export interface LineSettings {
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Whether its messages have an order. */
  readonly ordered: boolean
  /** For how long what comes again is waited for since it has left: it may have been dead-lettered instead. Milliseconds. */
  readonly patience: number
  offer(held: Held): void
  /** What was offered and has not been given out. */
  takeBack(): Held[]
}

export function createSessionLine(settings: LineSettings): SessionLine {
  const { clock, ordered, patience, offer, takeBack } = settings
  let waiting: Held[] = []
  /** Sequence numbers of what comes again, and what stops waiting for it. */
  const missing = new Map<bigint, Cancel | undefined>()
  let cancelWait: Cancel | undefined

  function firstMissing(): bigint {
    return [...missing.keys()].reduce((least, each) => (each < least ? each : least), endless)
  }

  function isMissing(held: Held): boolean {
    return missing.size > 0 && missing.has(sequenceOf(held))
  }

  function flush(): void {
    cancelWait?.()
    const now = clock.now()
    const end = firstMissing()
    const ready = waiting.filter((held, index) => {
      const isDue = (one: Held): boolean => notBefore(one) <= now
      if (!ordered) return isDue(held)
      return sequenceOf(held) < end && waiting.slice(0, index + 1).every(isDue)
    })
    waiting = waiting.filter((held) => !ready.includes(held))
    for (const held of ready) offer(held)
    const next = Math.min(...waiting.map(notBefore).filter((time) => time > now))
    if (Number.isFinite(next)) cancelWait = clock.after(next - now, flush)
  }

  function waitFor(sequence: bigint): void {
    missing.get(sequence)?.()
    const giveUp = (): void => {
      missing.delete(sequence)
      flush()
    }
    missing.set(sequence, clock.after(patience, giveUp, { background: true }))
  }

  function found(sequence: bigint): void {
    missing.get(sequence)?.()
    missing.delete(sequence)
  }

  return {
    arrived(held) {
      found(sequenceOf(held))
      waiting.push(held)
      waiting.sort((one, other) => (sequenceOf(one) < sequenceOf(other) ? -1 : 1))
      flush()
    },
    returning(held, comes) {
      const sequence = sequenceOf(held)
      found(sequence)
      if (comes && ordered) {
        // It cannot come while it is ours.
        missing.set(sequence, undefined)
        waiting.push(...takeBack())
        waiting.sort((one, other) => (sequenceOf(one) < sequenceOf(other) ? -1 : 1))
      }
      flush()
    },
    left(held) {
      if (waiting.length > 0) waiting = waiting.filter((one) => one !== held)
      if (isMissing(held)) waitFor(sequenceOf(held))
    },
    awaits: isMissing,
    awaitsAny: () => missing.size > 0,
    takeStranded() {
      const end = firstMissing()
      const stranded = waiting.filter((held) => sequenceOf(held) > end)
      waiting = waiting.filter((held) => sequenceOf(held) <= end)
      return stranded
    },
    end() {
      cancelWait?.()
      for (const cancel of missing.values()) cancel?.()
      missing.clear()
      waiting = []
    },
  }
}

const endless = 2n ** 64n

function sequenceOf({ received }: Held): bigint {
  return BigInt(String(received.sequenceNumber ?? 0))
}
