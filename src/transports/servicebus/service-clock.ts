import type { Clock } from '../../core/ports.ts'

/**
 * The time of the service, by which it keeps what is scheduled and what several consumers must agree on. Our own clock is taken at its
 * word until a lock proves it wrong: the service lets none last for longer than five minutes.
 */
export interface ServiceClock {
  /** A message or a session was locked just now, until then. */
  locked(until: number): void
  now(): number
}

const longestLock = 5 * 60_000

export function createServiceClock(clock: Pick<Clock, 'now'>): ServiceClock {
  let offset = 0
  return {
    locked(until) {
      const left = until - clock.now()
      // One that was read late has ended already: that alone proves nothing. What is wrong is taken to be at the end of the lock, so that
      // what is to wait waits for longer by up to a lock, and never for less.
      offset = Math.abs(left) > longestLock ? left : 0
    },
    now: () => clock.now() + offset,
  }
}
