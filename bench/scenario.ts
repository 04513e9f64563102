import type { Contender } from './measure.ts'

/** The name starts with `success`, `fail-once` or `dead-letter`. */
export interface Scenario {
  readonly name: string
  readonly messages: number
  /** How many of them make a process warm, where that is not all of them. */
  readonly warmUp?: number
  /** How often they do, where once is not enough: what takes microseconds is still being compiled after half a second. */
  readonly warmUps?: number
  /** Where its runs are short: they are repeated until a process has been at it for so many milliseconds. */
  readonly warmUpFor?: number
  readonly contenders: () => readonly Contender[]
}
