import { delayFor } from '../../core/backoff.ts'
import type { Backoff } from '../../core/policy.ts'
import type { Clock, Random } from '../../core/ports.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { stateOf } from '../../platform/postgres/sql-state.ts'

export interface TryingAgain {
  readonly clock: Clock
  readonly random: Random
  /** How often in all. */
  readonly tries: number
}

/**
 * The server could not put two transactions into an order, or ended one of two that waited for each other. Whichever statement it said so in, all of the
 * transaction was rolled back: it may be done again as if it had never been begun.
 */
const rolledBack: ReadonlySet<string | undefined> = new Set(['40001', '40P01'])

/** The server has waited for a second until it found a deadlock; whoever was let through needs no more than a moment. Milliseconds. */
const backoff: Backoff = { kind: 'exponential', first: 10, factor: 3, max: 500, jitter: 1 }

/** Transactions that are done again where the server ended them for the sake of another one. */
export function tryingAgain({ within }: Connections, { clock, random, tries }: TryingAgain): Connections['within'] {
  return async (work, begin) => {
    for (let failed = 1; ; failed++) {
      try {
        return await within(work, begin)
      } catch (error) {
        if (failed >= tries || !isRolledBack(error)) throw error
      }
      await new Promise<void>((resolve) => clock.after(delayFor(backoff, failed, random()), resolve))
    }
  }
}

/** What the server answered with stands behind what whoever asked is told. */
function isRolledBack(error: unknown): boolean {
  return rolledBack.has(stateOf((error as { cause?: unknown } | undefined)?.cause))
}
