import { plantedBugs } from './planted/bugs.ts'
import { simulate } from './simulate.ts'

/** A planted bug that hides for longer than this would be found by nobody. */
export const mostSeeds = 2000

export interface Detection {
  readonly bug: string
  /** The first seed that finds it; absent where none does. */
  readonly seed: number | undefined
  /** What the checker says about it. */
  readonly violation: string
}

/** The first seed that finds a planted bug. */
export async function detect(bug: string): Promise<Detection> {
  for (let seed = 1; seed <= mostSeeds; seed++) {
    const { violations } = await simulate(seed, plantedBugs[bug])
    if (violations.length > 0) return { bug, seed, violation: violations[0] ?? '' }
  }
  return { bug, seed: undefined, violation: '' }
}
