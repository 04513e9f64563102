import type { Clock } from '../core/ports.ts'

/** The real clock. This folder is the only place that asks the world for time, chance or names. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, options) {
    // Node fires a longer timer at once; nothing here waits for more than 24 days, it only looks again then.
    const timer = setTimeout(callback, Math.min(ms, 2_147_483_647))
    if (options?.background) timer.unref()
    return () => clearTimeout(timer)
  },
  soon: (callback) => void setImmediate(callback),
}
