import type { Cancel, Clock } from '../../core/ports.ts'

/** Work that is done from time to time, between `start` and `stop`. */
export interface Repeating {
  start(): void
  stop(): void
}

export function repeating(clock: Clock, every: number, work: () => void): Repeating {
  let cancel: Cancel | undefined
  const again = () => {
    cancel = clock.after(every, tick, { background: true })
  }
  function tick(): void {
    again()
    work()
  }
  return {
    start() {
      if (!cancel) again()
    },
    stop() {
      cancel?.()
      cancel = undefined
    },
  }
}
