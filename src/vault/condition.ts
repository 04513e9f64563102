import type { Filter } from '../core/filter/filter.ts'
import type { Value } from './sql.ts'

/** What letters must be: what a filter asks for, where there is one, and a part of a statement that every database understands. */
export interface Condition {
  readonly asked?: { readonly filter: Filter; readonly now: number }
  readonly where: string
  readonly parameters: readonly Value[]
}

export function and(condition: Condition, where: string, parameters: Condition['parameters']): Condition {
  return { ...condition, where: `(${condition.where}) AND ${where}`, parameters: [...condition.parameters, ...parameters] }
}
