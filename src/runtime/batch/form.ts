/**
 * Which of those who wait go into the next batch: the first ones, up to `size`. Who stands behind another one in a lane comes along
 * only with the one directly ahead of it, so that a batch holds the messages of one key in order and without a gap.
 */
export function formBatch<M>(waiting: Iterable<M>, size: number, aheadOf: (member: M) => unknown): readonly M[] {
  const batch = new Set<unknown>()
  for (const member of waiting) {
    if (batch.size === size) break
    const ahead = aheadOf(member)
    if (ahead === undefined || batch.has(ahead)) batch.add(member)
  }
  return [...batch] as M[]
}

export interface Readiness {
  /** How many it would hold now, and how many it may hold. */
  readonly count: number
  readonly size: number
  /** Milliseconds for which the first one has waited, and for which it may. */
  readonly waited: number
  readonly wait: number
  /** Nothing is under way that could bring another message: waiting on would fill no batch. */
  readonly isStill: boolean
}

export function isDue({ count, size, waited, wait, isStill }: Readiness): boolean {
  return count > 0 && (count >= size || waited >= wait || isStill)
}
