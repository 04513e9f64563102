import type { Measure } from '../transports/seam.ts'
import type { KnownSource, ReadingNote } from '../vault/operations/sources.ts'
import type { ConfiguredSource } from './sources.ts'

type Known = Pick<KnownSource, 'position'> & ReadingNote

/** Clocks of two control planes differ by no more. */
const skew = 60_000

/**
 * Followed, or watched and copied since its letters came near to being lost: then it is known how far it was read. What somebody was only told to
 * follow, and has never read, lies on the broker alone.
 */
export function isCopiedSource({ mode }: ConfiguredSource, { position }: Pick<KnownSource, 'position'>): boolean {
  return mode !== 'collect' && position !== null
}

/** Whether its letters go into the vault as they come; else they are only watched, or nobody has read them yet. */
export function isTakenIn(source: ConfiguredSource, known: Pick<KnownSource, 'position'>): boolean {
  return source.mode === 'collect' || isCopiedSource(source, known)
}

/** What reading it fails with, empty where somebody tries anew; null where it goes well, or where it is only watched and nobody reads it. */
export function readingProblem(source: ConfiguredSource, known: Known): string | null {
  return source.mode === 'watch' && !isCopiedSource(source, known) ? null : known.problem
}

/**
 * Since when the oldest letter lies there that may lie on the broker alone, as far as it is known; `undefined` where there is none. What is copied or
 * collected is safe as long as somebody reads it. A copy does not leave the broker: of what is copied, all that lay there when it was read last is in the vault.
 */
export function aloneSince(
  source: ConfiguredSource,
  known: Known,
  { retained, pending, oldestAt }: Measure,
  now: number,
): number | undefined {
  const collects = source.mode === 'collect'
  if ((collects ? pending : retained) === 0) return undefined
  if (!isTakenIn(source, known)) return oldestAt
  if (readingProblem(source, known) === null) return undefined
  // A time that has not come yet was written by a clock that was wrong.
  const readAt = known.readAt !== null && known.readAt <= now + skew ? known.readAt : undefined
  if (collects || oldestAt === undefined || readAt === undefined) return oldestAt ?? readAt
  return Math.max(oldestAt, readAt)
}
