/**
 * How many deliveries may be in hand. A consumer that has just started may have been killed by one of the messages it is about to
 * take, and a crash blames everything in hand: so it starts with one and doubles while nothing looks like a crash.
 */
export interface Window {
  readonly size: number
  /** A delivery that was no suspect was settled. */
  settled(): void
  /** A delivery came back with no recorded outcome: somebody may have died of it. */
  suspected(): void
}

export function createWindow(limit: number): Window {
  let size = 1
  let untilNext = 1
  return {
    get size() {
      return size
    },
    settled() {
      if (size === limit || --untilNext > 0) return
      size = Math.min(limit, size * 2)
      untilNext = size
    },
    suspected() {
      size = 1
      untilNext = 1
    },
  }
}
