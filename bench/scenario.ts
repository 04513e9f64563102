import type { Contender } from './measure.ts'

/** The name starts with `success`, `fail-once` or `dead-letter`. */
export interface Scenario {
  readonly name: string
  readonly messages: number
  /** How many of them make a process warm, where that is not all of them. */
  readonly warmUp?: number
  readonly contenders: () => readonly Contender[]
}
