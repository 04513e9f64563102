import { subjectKey } from '../../core/alerts/identity.ts'
import type { Sample } from '../../core/alerts/sample.ts'

/** Which looks are worth a row: those that differ from the last one that was kept, the first failures in a row, and one a minute. */
export interface SampleKeeper {
  worthKeeping(samples: readonly Sample[]): readonly Sample[]
}

const changedEvery = 10_000
const sameEvery = 60_000
/** After a restart they are counted on. */
const failuresThatCount = 3

export function createSampleKeeper(): SampleKeeper {
  const kept = new Map<string, { readonly at: number; readonly text: string; readonly failures: number }>()

  function isWorth(sample: Sample): boolean {
    const key = subjectKey(sample.subject)
    const last = kept.get(key)
    const failures = sample.failed === undefined ? 0 : (last?.failures ?? 0) + 1
    const text = textOf(sample)
    const age = sample.at - (last?.at ?? Number.NEGATIVE_INFINITY)
    const isNews = failures > 0 ? failures <= failuresThatCount : last?.failures !== 0
    const isDue = isNews || age >= sameEvery || (text !== last?.text && age >= changedEvery)
    if (isDue) kept.set(key, { at: sample.at, text, failures })
    return isDue
  }

  return { worthKeeping: (samples) => samples.filter(isWorth) }
}

/** Ages change all the time, and say nothing new. */
function textOf({ values, failed }: Sample): string {
  const { oldestAge: _, ...lasting } = values ?? {}
  return JSON.stringify([lasting, failed])
}
