/** Plain numbers that the hot path raises; exporters read them when they are asked. */
export interface ChannelStats {
  readonly fresh: Tally
  /** Messages that a replay sent back are tracked apart (seed 003). */
  readonly replayed: Tally
  completed: number
  retried: number
  released: number
  failedRuns: number
  publishFailures: number
  running: number
  held: number
  /** Letters put into the spool, those that wait there now, attempts to use it that failed, and files that a person must look at. */
  spooled: number
  spoolDepth: number
  spoolFailures: number
  spoolAside: number
  /** Messages that wait for the end of an outage. */
  parked: number
  breakerOpen: 0 | 1
  breakerTrips: number
  /** Batches that failed as a whole, so that their messages were called again, each alone. */
  batchesSplit: number
  readonly byErrorType: Map<string, number>
}

export interface Tally {
  received: number
  readonly deadLettered: Map<string, number>
  readonly durations: Histogram
}

export interface Histogram {
  /** One more than the bounds: the last bucket has no upper bound. Not cumulative. */
  readonly buckets: number[]
  sum: number
  count: number
}

/** Seconds; from a handler that only computes to one that waits for another system's timeout. */
export const durationBounds: readonly number[] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** A hostile or careless producer can make any number of error types; a metric with a label for each would fill the memory. */
const maxErrorTypes = 200

export function createStats(): ChannelStats {
  return {
    fresh: createTally(),
    replayed: createTally(),
    completed: 0,
    retried: 0,
    released: 0,
    failedRuns: 0,
    publishFailures: 0,
    running: 0,
    held: 0,
    spooled: 0,
    spoolDepth: 0,
    spoolFailures: 0,
    spoolAside: 0,
    parked: 0,
    breakerOpen: 0,
    breakerTrips: 0,
    batchesSplit: 0,
    byErrorType: new Map(),
  }
}

export function observe(histogram: Histogram, milliseconds: number): void {
  const seconds = milliseconds / 1000
  let bucket = 0
  while (bucket < durationBounds.length && seconds > (durationBounds[bucket] as number)) bucket++
  histogram.buckets[bucket] = (histogram.buckets[bucket] ?? 0) + 1
  histogram.sum += seconds
  histogram.count++
}

export function raise(counts: Map<string, number>, label: string): void {
  const known = counts.has(label) || counts.size < maxErrorTypes ? label : 'other'
  counts.set(known, (counts.get(known) ?? 0) + 1)
}

export function lettersIn(stats: ChannelStats): number {
  let sum = 0
  for (const count of stats.fresh.deadLettered.values()) sum += count
  for (const count of stats.replayed.deadLettered.values()) sum += count
  return sum
}

function createTally(): Tally {
  return {
    received: 0,
    deadLettered: new Map(),
    durations: { buckets: new Array<number>(durationBounds.length + 1).fill(0), sum: 0, count: 0 },
  }
}
