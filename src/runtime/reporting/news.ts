import { mostReported, type ReportedLetter, type ReportedSuccess } from '../../core/consumer-report.ts'

/**
 * What the control plane has not heard yet. It grows no further than its limits, however long nobody listens: then the oldest is
 * forgotten and counted.
 */
export interface News {
  readonly isEmpty: boolean
  readonly forgotten: number
  deadLettered(letter: ReportedLetter): void
  succeeded(success: ReportedSuccess): void
  /** The oldest, `share` of as many as one report may hold. It stays news until it was heard. */
  next(share: number): Told
  heard(told: Told): void
}

export interface Told {
  readonly deadLettered: readonly ReportedLetter[]
  readonly succeeded: readonly ReportedSuccess[]
}

const mostLetters = 2000
const mostSuccesses = 20_000
/** Many at once: to find the first of a set from which the first was taken again and again costs as much as looking at all that were. */
const forgottenAtOnce = 0.1

export function createNews(): News {
  const letters = new Set<ReportedLetter>()
  /** By replay and letter: a message that was delivered twice succeeded once. */
  const successes = new Map<string, ReportedSuccess>()
  let forgotten = 0

  return {
    get isEmpty() {
      return letters.size + successes.size === 0
    },
    get forgotten() {
      return forgotten
    },
    deadLettered(letter) {
      letters.add(letter)
      if (letters.size > mostLetters) forgotten += dropOldest(letters, mostLetters * forgottenAtOnce)
    },
    succeeded(success) {
      successes.set(keyOf(success), success)
      if (successes.size > mostSuccesses) forgotten += dropOldest(successes, mostSuccesses * forgottenAtOnce)
    },
    next(share) {
      return {
        deadLettered: first(letters, mostReported.deadLettered * share),
        succeeded: first(successes.values(), mostReported.succeeded * share),
      }
    },
    heard({ deadLettered, succeeded }) {
      for (const letter of deadLettered) letters.delete(letter)
      for (const success of succeeded) successes.delete(keyOf(success))
    },
  }
}

function keyOf({ replay, letter }: ReportedSuccess): string {
  return `${replay} ${letter}`
}

function first<T>(items: Iterable<T>, most: number): readonly T[] {
  const taken: T[] = []
  for (const item of items) {
    if (taken.length >= most) break
    taken.push(item)
  }
  return taken
}

function dropOldest<Key>(items: Set<Key> | Map<Key, unknown>, most: number): number {
  const oldest = first(items.keys(), most)
  for (const key of oldest) items.delete(key)
  return oldest.length
}
