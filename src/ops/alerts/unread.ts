import type { Clock } from '../../core/ports.ts'
import type { KnownSource } from '../../vault/operations/sources.ts'
import { readingProblem } from '../reading.ts'
import type { ConfiguredSource } from '../sources.ts'

/** Whoever reads tries again after half a minute at the latest, and its first try may take a moment. */
const mayTakeUp = 45_000

/** What reading a source fails with, as it is worth an alert of its own; empty where nobody knows yet. */
export type Unread = (source: ConfiguredSource, known: KnownSource, isBack: boolean) => string | undefined

/**
 * A broker that was away has an alert of its own, and so has a disk that is full: once it is back, those who read have some time to find that out before
 * they are said to fail.
 */
export function createUnread(clock: Clock): Unread {
  const backAt = new Map<ConfiguredSource, number>()
  return (source, known, isBack) => {
    const now = clock.monotonic()
    if (isBack) backAt.set(source, now)
    const problem = readingProblem(source, known)
    const hasTime = now - (backAt.get(source) ?? Number.NEGATIVE_INFINITY) < mayTakeUp
    return problem === null || problem === 'store-full' || hasTime ? undefined : problem
  }
}
