import { setTimeout as sleep } from 'node:timers/promises'

/** How healthy messages fared while something else was down, by the clock. */
export interface Flow {
  readonly seconds: number
  readonly perSecond: number
  /** Completed in each sixth of the time: none of them may be empty. */
  readonly slices: readonly number[]
}

const slices = 6

/** `completed` is asked of the handlers' own log, which the runtime does not write. */
export async function watchFlow(completed: () => number, milliseconds: number): Promise<Flow> {
  const startedAt = performance.now()
  const counts = [completed()]
  for (let slice = 1; slice <= slices; slice++) {
    await sleep(Math.max(0, startedAt + (milliseconds * slice) / slices - performance.now()))
    counts.push(completed())
  }
  const seconds = (performance.now() - startedAt) / 1000
  const done = (counts.at(-1) ?? 0) - (counts[0] ?? 0)
  return {
    seconds,
    perSecond: done / seconds,
    slices: counts.slice(1).map((count, index) => count - (counts[index] ?? 0)),
  }
}

/** A sixth of an outage without a single healthy message is what a consumer looks like that has stopped. */
export function standstills({ slices: counts }: Flow): readonly string[] {
  const empty = counts.filter((count) => count === 0).length
  return empty > 0 ? [`healthy messages stood still for ${empty} of ${counts.length} parts of the outage`] : []
}

export function describeFlow({ seconds, perSecond, slices: counts }: Flow): string {
  return `down for ${Math.round(seconds)} s, ${perSecond.toFixed(1)} completed a second meanwhile, by sixths ${counts.join(' ')}`
}
