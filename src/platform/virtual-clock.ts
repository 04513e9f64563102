import type { Cancel, Clock } from '../core/ports.ts'

/**
 * A clock that stands still until it is told to move, for tests and for the simulator. Waiting an hour takes no time, and the
 * same test does the same thing every time: timers fire in the order of their due times, equal ones in the order in which they
 * were set, and everything that a timer set off has come to rest before the next one fires.
 *
 * ```ts
 * const clock = virtualClock()
 * const transport = memory({ clock })
 * // …
 * await clock.advance(60_000)
 * ```
 */
export interface VirtualClock extends Clock {
  /** Moves time forward by `ms`, firing what falls due on the way, each at its own moment. */
  advance(ms: number): Promise<void>
  /** Moves time forward, timer by timer, until the condition holds; tells whether it did within `ms`. */
  advanceUntil(condition: () => boolean, ms: number): Promise<boolean>
  /** Jumps from timer to timer until none is left that would keep a process alive. Throws after `limit` timers: something is looping. */
  runUntilIdle(limit?: number): Promise<void>
  /** Lets time run by itself, as fast as it can: whenever everything rests, the next timer fires. The result stops it. */
  flow(): () => void
  /** Lets everything that is ready to run come to rest, without moving time. */
  settle(): Promise<void>
  /** Moves the wall clock alone, as an operator or a time server would: durations are not affected. */
  jump(ms: number): void
  /** Timers that have not fired yet, background ones included. */
  readonly pending: number
}

interface Timer {
  readonly due: number
  readonly order: number
  readonly background: boolean
  readonly callback: () => void
}

export function virtualClock(options: { readonly start?: number } = {}): VirtualClock {
  const timers = new Set<Timer>()
  let wallOffset = options.start ?? Date.UTC(2030, 0, 1)
  let elapsed = 0
  let timersSet = 0
  let soonPending = 0

  /** Node drains every microtask before an immediate runs, so after one turn nothing is left but what `soon` put off. */
  async function settle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve))
    while (soonPending > 0)
  }

  async function fire(timer: Timer): Promise<void> {
    timers.delete(timer)
    elapsed = Math.max(elapsed, timer.due)
    timer.callback()
    await settle()
  }

  return {
    now: () => wallOffset + elapsed,
    monotonic: () => elapsed,
    after(ms, callback, timerOptions): Cancel {
      const background = timerOptions?.background ?? false
      const timer: Timer = { due: elapsed + Math.max(0, ms), order: timersSet++, background, callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    soon(callback) {
      soonPending++
      setImmediate(() => {
        soonPending--
        callback()
      })
    },
    async advance(ms) {
      const until = elapsed + ms
      await settle()
      for (let next = earliest(timers); next !== undefined && next.due <= until; next = earliest(timers)) await fire(next)
      elapsed = Math.max(elapsed, until)
    },
    async advanceUntil(condition, ms) {
      const until = elapsed + ms
      await settle()
      for (let next = earliest(timers); !condition(); next = earliest(timers)) {
        if (next === undefined || next.due > until) return false
        await fire(next)
      }
      return true
    },
    async runUntilIdle(limit = 100_000) {
      await settle()
      for (let fired = 0; someKeepAlive(timers); fired++) {
        if (fired === limit)
          throw new Error(`The virtual clock fired ${limit} timers and there is still one: something is looping.`)
        const next = earliest(timers)
        if (next !== undefined) await fire(next)
      }
    },
    flow() {
      let flowing = true
      const run = async (): Promise<void> => {
        while (flowing) {
          await settle()
          const next = earliest(timers)
          if (flowing && next !== undefined) await fire(next)
        }
      }
      void run()
      return () => {
        flowing = false
      }
    },
    settle,
    jump(ms) {
      wallOffset += ms
    },
    get pending() {
      return timers.size
    },
  }
}

function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined
  for (const timer of timers) if (first === undefined || comesBefore(timer, first)) first = timer
  return first
}

function comesBefore(one: Timer, other: Timer): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order)
}

function someKeepAlive(timers: ReadonlySet<Timer>): boolean {
  for (const timer of timers) if (!timer.background) return true
  return false
}
