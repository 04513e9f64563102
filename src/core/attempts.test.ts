import { describe, expect, it } from 'vitest'
import { beforeRun, decide } from './decide.ts'
import type { Decision, Graves, Outcome } from './decision.ts'
import type { Policy } from './policy.ts'
import { type PolicyOptions, resolvePolicy } from './policy-options.ts'

const graves: Graves = { deadLetter: true, invalid: true }

interface Story {
  readonly runs: number
  readonly turns: number
  /** What the handler saw as its retry count, run by run (seed 002). */
  readonly retryCounts: readonly number[]
  readonly letters: readonly string[]
  /** Runs beyond the first: the `retry_count` of seed 003's payload. */
  readonly retriesInLetter: number
}

/** Plays the life of one message, delivery by delivery, until it is settled for good. */
function play(options: PolicyOptions, runHandler: (run: number) => Outcome | 'crash'): Story {
  const policy = resolvePolicy(options, 'story')
  const retryCounts: number[] = []
  for (let attempt = 1; ; attempt++) {
    const decision = playTurn(policy, attempt, () => {
      retryCounts.push(attempt - 1)
      return runHandler(retryCounts.length)
    })
    if (decision === 'crash' || decision.kind === 'retry') continue
    const letters = decision.kind === 'bury' ? [decision.reason] : []
    const turns = new Set(retryCounts).size
    return { runs: retryCounts.length, turns, retryCounts, letters, retriesInLetter: retryCounts.length - 1 }
  }
}

/** One delivery: it is run, perhaps several times at once, until something else is decided or the consumer dies. */
function playTurn(policy: Policy, attempt: number, runHandler: () => Outcome | 'crash'): Decision | 'crash' {
  let decision = beforeRun(policy, graves, { attempt, runs: 0, deliveries: attempt })
  for (let runs = 1; decision.kind === 'run'; runs++) {
    const outcome = runHandler()
    if (outcome === 'crash') return outcome
    decision = decide(policy, graves, { attempt, runs, deliveries: attempt }, outcome, 0)
  }
  return decision
}

const fails = (): Outcome => ({ kind: 'failed', class: 'retryable' })
const crashes = (): 'crash' => 'crash'

describe('attempts', () => {
  it('seed 000 attempts: immediate 3 and no delayed retry → 4 runs in one turn, then reject', () => {
    const story = play({ retry: { immediate: 3, delayed: { retries: 0 } } }, fails)
    expect(story).toMatchObject({ runs: 4, turns: 1, letters: ['MaxDeliveryCountExceeded'] })
  })

  it('seed 001 attempts: MaxDeliveryCount 3 → 3 runs, dead letter at the third delivery', () => {
    expect(play({ maxDeliveryCount: 3 }, fails)).toMatchObject({ runs: 3, turns: 3, letters: ['MaxDeliveryCountExceeded'] })
  })

  it('seed 001 attempts: a fourth delivery is PoisonMessage without a run', () => {
    expect(play({ maxDeliveryCount: 3 }, crashes)).toMatchObject({ runs: 3, letters: ['PoisonMessage'] })
    expect(play({ maxDeliveryCount: 3, poison: 'deliveries' }, crashes)).toMatchObject({ runs: 3, letters: ['PoisonMessage'] })
  })

  it('seed 002 attempts: the handler sees retry count 0, 1, 2, then exactly one letter', () => {
    const story = play({ retry: { delayed: { retries: 2 } } }, fails)
    expect([story.retryCounts, story.letters.length]).toEqual([[0, 1, 2], 1])
  })

  it('seed 002 attempts: what comes back after retry count 2 is dead-lettered without a run, exactly one letter', () => {
    const story = play({ retry: { delayed: { retries: 2 } } }, crashes)
    expect([story.retryCounts, story.letters]).toEqual([[0, 1, 2], ['PoisonMessage']])
  })

  it('seed 003 attempts: max_retries 3 → 4 runs, retry_count 3', () => {
    const story = play({ retry: { delayed: { retries: 3 } } }, fails)
    expect([story.runs, story.retriesInLetter]).toEqual([4, 3])
  })

  it('runs a message (1 + immediate) × (1 + delayed.retries) times in all', () => {
    expect(play({ retry: { immediate: 2, delayed: { retries: 3 } } }, fails)).toMatchObject({ runs: 12, turns: 4 })
  })

  it('writes no letter when a later run succeeds', () => {
    const story = play({}, (run) => (run === 2 ? { kind: 'succeeded' } : fails()))
    expect(story).toMatchObject({ runs: 2, letters: [] })
  })

  it('keeps the budget when kinds of failure alternate between crash and error', () => {
    const story = play({ maxDeliveryCount: 3 }, (run) => (run % 2 === 0 ? 'crash' : fails()))
    expect(story).toMatchObject({ runs: 3, letters: ['MaxDeliveryCountExceeded'] })
  })
})
