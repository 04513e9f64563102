import { expect, it } from 'vitest'
import { defaultPolicy, longestDelay, maxRuns, maxTurns, type Policy } from './policy.ts'

const policy = (immediate: number, retries: number): Policy => ({
  ...defaultPolicy,
  retry: { immediate, delayed: { retries, backoff: { ...defaultPolicy.retry.delayed.backoff, max: 1000, jitter: 0.5 } } },
})

it.each([
  { immediate: 0, retries: 0, turns: 1, runs: 1, delay: 0 },
  { immediate: 3, retries: 0, turns: 1, runs: 4, delay: 0 },
  { immediate: 0, retries: 2, turns: 3, runs: 3, delay: 1500 },
  { immediate: 1, retries: 2, turns: 3, runs: 6, delay: 1500 },
])('$immediate immediate and $retries delayed retries are $turns turns and $runs runs, and wait at most $delay ms', (row) => {
  const { immediate, retries, turns, runs, delay } = row
  const one = policy(immediate, retries)
  expect([maxTurns(one), maxRuns(one), longestDelay(one)]).toEqual([turns, runs, delay])
})

it('the default is the three deliveries of seed 001, thirty seconds each', () => {
  expect(maxRuns(defaultPolicy)).toBe(3)
  expect(defaultPolicy).toMatchObject({ timeout: 30_000, onTimeout: 'permanent', poison: 'turns' })
  expect(defaultPolicy.retry.delayed.backoff).toEqual({ kind: 'exponential', first: 1000, max: 300_000, factor: 2, jitter: 0.2 })
})
