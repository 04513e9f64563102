import type { History } from './history.ts'
import type { Figures } from './notification.ts'

/**
 * What a condition says about a subject now. `clear` is more than not holding where there is a band between the two, in which an alert that
 * fires stays and one that does not, does not.
 */
export interface Verdict {
  readonly holds: boolean
  readonly clear: boolean
  readonly figures: Figures
}

export type Judge<Condition> = (condition: Condition, history: History, now: number) => Verdict | undefined

export function verdict(holds: boolean, figures: Figures, clear: boolean = !holds): Verdict {
  return { holds, clear, figures }
}
