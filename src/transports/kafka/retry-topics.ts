/**
 * What only one group is to get stands in topics of its own beside the channel, which its consumers read along with it: copies of
 * retries, now or later, and letters that are sent back to the group that failed. There is one topic for each level of delay, so
 * that what waits for minutes does not stand before what waits for seconds. Within a level each record waits for its own time.
 */
export interface RetryLevel {
  readonly suffix: string
  /** The longest delay that is meant for this level, in milliseconds. */
  readonly upTo: number
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const now: RetryLevel = { suffix: 'retry', upTo: 0 }

export const retryLevels: readonly RetryLevel[] = [
  now,
  { suffix: 'retry-1s', upTo: second },
  { suffix: 'retry-5s', upTo: 5 * second },
  { suffix: 'retry-30s', upTo: 30 * second },
  { suffix: 'retry-2m', upTo: 2 * minute },
  { suffix: 'retry-10m', upTo: 10 * minute },
  { suffix: 'retry-1h', upTo: hour },
  { suffix: 'retry-6h', upTo: 6 * hour },
  { suffix: 'retry-1d', upTo: day },
  { suffix: 'retry-7d', upTo: 7 * day },
]

export function retryTopic(name: string, group: string, { suffix }: RetryLevel): string {
  return `${name}.${group}.${suffix}`
}

/** Every level that delays up to `longest` need. */
export function levelsUpTo(longest: number): readonly RetryLevel[] {
  const enough = retryLevels.findIndex(({ upTo }) => upTo >= longest)
  return enough === -1 ? retryLevels : retryLevels.slice(0, enough + 1)
}

/**
 * The level for a delay, of those that are there: the shortest that is long enough, else the longest. A record waits for its own
 * time everywhere, so a level that is too short only makes it stand before others. `undefined` where there is none at all.
 */
export function levelFor(delay: number, there: readonly RetryLevel[]): RetryLevel | undefined {
  return there.find(({ upTo }) => upTo >= delay) ?? there.at(-1)
}
