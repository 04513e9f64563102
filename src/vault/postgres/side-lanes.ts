import type { Clock } from '../../core/ports.ts'
import { batched } from '../../platform/batched.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { committing, type Rounds, type Work } from './rounds.ts'

/** One makes what it sends while another one waits for the server. More would take connections from who reads. */
const atOnce = 2

/**
 * What is written beside others, each in a transaction of its own: two of them in one would lock rows that all share in an order of their own, and wait for
 * somebody who waits for them.
 */
export function createSideLanes({ within }: Connections, clock: Clock, begin: string): Rounds {
  const { call, idle } = batched<Work, unknown>({
    ...{ clock, atOnce, most: { items: 1, bytes: Number.POSITIVE_INFINITY } },
    run: async ([work]) => [work && (await within((_, query, commit) => work(query, committing(commit)), begin))],
  })
  return { write: call, idle }
}
