import { heap } from '../../src/transports/memory/heap.ts'

/** The time of the test server: the real one, which a test may put forward. */
export interface ServerClock {
  now(): number
  /** Calls back at that time or soon after, also when the time was put forward past it. */
  at(when: number, callback: () => void): void
  advance(ms: number): void
  stop(): void
}

/** What a timer of Node can wait for. */
const longestTimer = 2 ** 31 - 1

export function serverClock(): ServerClock {
  const due = heap<() => void>()
  let ahead = 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const now = (): number => Date.now() + ahead

  function arm(): void {
    clearTimeout(timer)
    if (stopped || due.firstAt === Number.POSITIVE_INFINITY) return
    timer = setTimeout(ring, Math.min(Math.max(0, due.firstAt - now()), longestTimer))
    timer.unref()
  }

  function ring(): void {
    while (due.firstAt <= now()) due.pop()?.()
    arm()
  }

  return {
    now,
    at(when, callback) {
      due.push(when, callback)
      arm()
    },
    advance(ms) {
      ahead += ms
      ring()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
