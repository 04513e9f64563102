import type { Contender } from './measure.ts'

/** The name starts with `success`, `fail-once` or `dead-letter`. */
export interface Scenario {
  readonly name: string
  /**
   * Beside a real server as many as take the fastest contender about four seconds: in half a second most of what is measured is how each begins. A
   * consumer of Redrive takes few messages at first, so that few are suspects should it die of one.
   */
  readonly messages: number
  /** How many of them make a process warm, where that is not all of them. */
  readonly warmUp?: number
  /** How often they do, where once is not enough: what takes microseconds is still being compiled after half a second. */
  readonly warmUps?: number
  /** They are repeated until a process has been at it for so many milliseconds: the slowest peer needs a quarter of a minute for a run, the fastest a tenth of a second. */
  readonly warmUpFor?: number
  readonly contenders: () => readonly Contender[]
}

/** What a process beside a real server is warmed up for, whatever it runs. A consumer runs for weeks: half of what its first second costs is the compiler. */
export const usualWarmUp: Pick<Scenario, 'warmUp' | 'warmUpFor'> = { warmUp: 20_000, warmUpFor: 3000 }
