import type { Clock } from '../../../src/core/ports.ts'

/** On the broker's own clock, which outlives every process; at once where there is nothing to wait for. */
export function afterDelay(clock: Clock, delay: number, work: () => void): void {
  if (delay > 0) clock.after(delay, work)
  else work()
}
