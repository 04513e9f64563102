import type { Clock } from '../../core/ports.ts'
import type { Held } from './held.ts'

/** What has arrived and was not given out yet, and whoever waits for it. */
export interface Shelf {
  readonly size: number
  readonly first: Held | undefined
  /** Whether a `take` is waiting. */
  readonly awaited: boolean
  put(held: Held): void
  /** They were taken and not given out: they come before all others. */
  putBack(held: readonly Held[]): void
  /** Until there is something, the time is up or everything ends. One call at a time. */
  filled(wait: number): Promise<void>
  take(max: number): Held[]
  withdraw(which: (held: Held) => boolean): Held[]
  /** From now on nobody waits. */
  end(): void
}

export function createShelf(clock: Clock): Shelf {
  let waiting: Held[] = []
  let wake: (() => void) | undefined
  let ended = false

  async function untilSomething(wait: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    const cancel = Number.isFinite(wait) ? clock.after(wait, resolve) : undefined
    await promise
    cancel?.()
    wake = undefined
  }

  return {
    get size() {
      return waiting.length
    },
    get first() {
      return waiting[0]
    },
    get awaited() {
      return wake !== undefined
    },
    put(held) {
      waiting.push(held)
      wake?.()
    },
    putBack: (held) => void waiting.unshift(...held),
    async filled(wait) {
      if (waiting.length === 0 && wait > 0 && !ended) await untilSomething(wait)
    },
    take: (max) => waiting.splice(0, max),
    withdraw(which) {
      const withdrawn = waiting.filter(which)
      if (withdrawn.length > 0) waiting = waiting.filter((held) => !which(held))
      return withdrawn
    },
    end() {
      ended = true
      wake?.()
    },
  }
}
