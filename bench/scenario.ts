import type { Contender } from './measure.ts'

/** The name starts with `success`, `fail-once` or `dead-letter`. */
export interface Scenario {
  readonly name: string
  readonly messages: number
  readonly contenders: () => readonly Contender[]
}
