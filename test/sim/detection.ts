import { simulateAlerts } from './alerts/simulate-alerts.ts'
import { alertBugs } from './planted/alert-bugs.ts'
import { plantedBugs } from './planted/bugs.ts'
import { replayBugs } from './planted/replay-bugs.ts'
import { simulateReplay } from './replay/simulate-replay.ts'
import { type SimResult, simulate } from './simulate.ts'

/** A planted bug that hides for longer than this would be found by nobody. */
export const mostSeeds = 2000

export interface Detection {
  readonly bug: string
  /** The first seed that finds it; absent where none does. */
  readonly seed: number | undefined
  /** What the checker says about it. */
  readonly violation: string
}

/** Of the runtime, and of the control plane that replays and alerts. */
export const allBugs: readonly string[] = [plantedBugs, replayBugs, alertBugs].flatMap((bugs) => Object.keys(bugs))

function simulateWith(bug: string, seed: number): Promise<SimResult> {
  if (bug in alertBugs) return simulateAlerts(seed, alertBugs[bug])
  return bug in replayBugs ? simulateReplay(seed, replayBugs[bug]) : simulate(seed, plantedBugs[bug])
}

/** The first seed that finds a planted bug. */
export async function detect(bug: string): Promise<Detection> {
  for (let seed = 1; seed <= mostSeeds; seed++) {
    const { violations } = await simulateWith(bug, seed)
    if (violations.length > 0) return { bug, seed, violation: violations[0] ?? '' }
  }
  return { bug, seed: undefined, violation: '' }
}
