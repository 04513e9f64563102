import type { Transaction } from './rows.ts'

/** Leases end on whole tenths of a second, so that thousands of them end in one step. */
const grain = 100
/** Ids that are looked through together when leases end. */
const blockSize = 4096

/** When a lease ends that is to last until then, at least. */
export function leaseEnd(until: number): number {
  return Math.ceil(until / grain) * grain
}

/**
 * A leased message stands in no index, since most are completed before their lease ends and an index would be written twice for
 * nothing. What remains to be found is where to look once a time has come: one row for each block of ids in which leases end then.
 */
export function recordLeases({ statements }: Transaction, channel: number, ids: readonly number[], endsAt: number): void {
  for (const block of new Set(ids.map((id) => Math.floor(id / blockSize)))) statements.recordLease.run(channel, endsAt, block)
}

/** Makes claimable, as suspects, what nobody has settled or extended in time. */
export function endLeases({ now, statements }: Transaction, channel: number): void {
  const ended = statements.endedLeases.all(channel, now)
  if (ended.length === 0) return
  for (const { block } of ended) statements.endLeases.run(block * blockSize, (block + 1) * blockSize - 1, now)
  statements.forgetLeases.run(channel, now)
}
