/**
 * When to alert about a dead-letter channel, as a pure function: samples in, transitions out. Two alerts can be up, each by itself:
 *
 * - `dlq.any`: a letter lies there (seed 000). It is up from the first sample above 0, and resolved once the channel has been empty
 *   for `resolveAfter`, so that a queue which is emptied and filled by turns is one alert and not many.
 * - `probe.failed`: nobody can say how many letters there are. It is up after `failuresToRaise` failed probes in a row, and resolved by
 *   the first one that works.
 *
 * A failed probe says nothing about letters: it neither raises nor resolves `dlq.any`, and it ends the time of emptiness.
 */
export type RuleName = 'dlq.any' | 'probe.failed'

/** One look at a channel. `at` never goes back; milliseconds. A probe that failed is of a kind of its own, and never a count of 0. */
export type Sample =
  | { readonly at: number; readonly count: number; readonly failed?: undefined }
  | { readonly at: number; readonly failed: string; readonly count?: undefined }

/** `still`: it was up before and is up now. One alert goes out for each `raised`, however many samples follow. */
export interface Transition {
  readonly rule: RuleName
  readonly change: 'raised' | 'still' | 'resolved'
}

export interface RuleState {
  readonly lettersUp: boolean
  /** Since when the channel has been seen empty, while `dlq.any` is up. */
  readonly emptySince: number | undefined
  readonly probeUp: boolean
  /** Failed probes in a row. */
  readonly failures: number
}

export interface RuleLimits {
  /** Milliseconds. */
  readonly resolveAfter: number
  readonly failuresToRaise: number
}

export interface Evaluation {
  readonly state: RuleState
  readonly transitions: readonly Transition[]
}

export const initialRuleState: RuleState = { lettersUp: false, emptySince: undefined, probeUp: false, failures: 0 }

export function evaluate(before: RuleState, sample: Sample, limits: RuleLimits): Evaluation {
  const state = sample.failed === undefined ? counted(before, sample, limits) : failed(before, limits)
  const transitions = [
    ...transition('dlq.any', before.lettersUp, state.lettersUp),
    ...transition('probe.failed', before.probeUp, state.probeUp),
  ]
  return { state, transitions }
}

function counted(before: RuleState, { at, count }: { at: number; count: number }, { resolveAfter }: RuleLimits): RuleState {
  const working = { probeUp: false, failures: 0 }
  if (count > 0) return { ...working, lettersUp: true, emptySince: undefined }
  const emptySince = before.lettersUp ? (before.emptySince ?? at) : undefined
  const isOver = emptySince === undefined || at - emptySince >= resolveAfter
  return { ...working, lettersUp: !isOver, emptySince: isOver ? undefined : emptySince }
}

function failed(before: RuleState, { failuresToRaise }: RuleLimits): RuleState {
  const failures = before.failures + 1
  return { ...before, emptySince: undefined, failures, probeUp: before.probeUp || failures >= failuresToRaise }
}

function transition(rule: RuleName, wasUp: boolean, isUp: boolean): readonly Transition[] {
  if (isUp) return [{ rule, change: wasUp ? 'still' : 'raised' }]
  return wasUp ? [{ rule, change: 'resolved' }] : []
}
