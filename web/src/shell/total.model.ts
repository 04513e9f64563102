import type { Source } from '../api/sources.ts'

export interface Total {
  readonly unresolved: number
  /** A broker could not be asked: there may be more. */
  readonly isAtLeast: boolean
  readonly unreachable: number
}

/** The number that should be 0. A source that cannot be asked never makes it look like one. */
export function totalOf(sources: readonly Source[]): Total {
  return {
    unresolved: sources.reduce((sum, { unresolved }) => sum + unresolved, 0),
    isAtLeast: sources.some(({ isAtLeast }) => isAtLeast),
    unreachable: sources.filter(({ onBroker }) => 'problem' in onBroker).length,
  }
}
