import type { Clock } from '../../core/ports.ts'
import { stateOf } from '../../platform/postgres/sql-state.ts'

/**
 * Who changes a table waits for whoever reads it, and everybody who comes later waits behind both. So it waits for a moment only, lets all others
 * through, and tries again. Milliseconds.
 */
const waits = 2000
const pause = 1000
const tries = 60

/** A beginning after which nothing is waited for any longer. The lock of the writers is asked for before that, and is waited for as always. */
export function quickly(begin: string): string {
  return `${begin}; SET LOCAL lock_timeout = ${waits}`
}

export async function whenLetThrough(clock: Clock, work: () => Promise<void>): Promise<void> {
  for (let left = tries - 1; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left === 0 || !isInTheWay(error)) throw error
    }
    await new Promise<void>((resolve) => clock.after(pause, resolve))
  }
}

/** Somebody else kept a lock on the table. */
export function isInTheWay(error: unknown): boolean {
  return stateOf((error as { cause?: unknown } | undefined)?.cause) === '55P03'
}
