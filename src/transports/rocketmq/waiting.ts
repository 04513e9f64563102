import type { Clock } from '../../core/ports.ts'
import type { Held } from './delivery.ts'

/** What this process hid from everybody, including itself, and that has not come back yet: the broker counts it nowhere. */
export interface Waiting {
  add(held: Pick<Held, 'place' | 'id'>, delay: number): void
  countOf(place: string): number
}

/** The broker looks for what is to come back once a second or so. Milliseconds. */
const comesBackWithin = 3_000
const most = 10_000

export function createWaiting(clock: Pick<Clock, 'monotonic'>): Waiting {
  const until = new Map<string, { readonly place: string; readonly at: number }>()
  return {
    add({ place, id }, delay) {
      until.set(`${id} ${place}`, { place, at: clock.monotonic() + delay + comesBackWithin })
      const [oldest = ''] = until.keys()
      if (until.size > most) until.delete(oldest)
    },
    countOf(place) {
      const now = clock.monotonic()
      for (const [name, { at }] of until) if (at <= now) until.delete(name)
      return [...until.values()].filter((one) => one.place === place).length
    },
  }
}
