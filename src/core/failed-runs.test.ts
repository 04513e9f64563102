import { describe, expect, it } from 'vitest'
import { type FailedRun, failedRunsIn, failedRunsText, withFailedRun } from './failed-runs.ts'
import { utf8Length } from './headers.ts'

const run = (attempt: number, description = `failure ${attempt}`): FailedRun => ({
  attempt,
  at: 1_700_000_000_000 + attempt,
  errorType: 'TypeError',
  description,
})

const afterRuns = (count: number): readonly FailedRun[] => {
  let runs: readonly FailedRun[] = []
  for (let attempt = 1; attempt <= count; attempt++) runs = withFailedRun(runs, run(attempt))
  return runs
}

describe('failed runs', () => {
  it('are read as they were written', () => {
    expect(failedRunsIn(failedRunsText(afterRuns(3)))).toEqual([run(1), run(2), run(3)])
  })

  it('are at most ten: the first two and the last eight', () => {
    expect(afterRuns(10).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(afterRuns(500).map(({ attempt }) => attempt)).toEqual([1, 2, 493, 494, 495, 496, 497, 498, 499, 500])
  })

  it('stay small, whatever a handler throws', () => {
    let runs: readonly FailedRun[] = []
    for (let attempt = 1; attempt <= 30; attempt++)
      runs = withFailedRun(runs, { ...run(attempt, '"€'.repeat(5_000)), errorType: '💥'.repeat(99) })

    expect(utf8Length(failedRunsText(runs))).toBeLessThan(3 * 1024)
  })

  it.each([
    ['nothing', undefined],
    ['no JSON', '[[1,2,"a"'],
    ['no list', '{"length":1}'],
    ['something that is no run', '[[1,2,"a","b"],7]'],
    ['a number that is none', '[["1",2,"a","b"]]'],
    ['a number below 0', '[[-1,2,"a","b"]]'],
    ['a time with a fraction', '[[1,2.5,"a","b"]]'],
    ['a text that is none', '[[1,2,"a",null]]'],
  ])('are none where there is %s', (_, text) => {
    expect(failedRunsIn(text)).toEqual([])
  })

  it('are no more than we would write, however many somebody wrote', () => {
    const told = failedRunsIn(failedRunsText(Array.from({ length: 1_000 }, (_, index) => run(index, 'x'.repeat(10_000)))))

    expect(told).toHaveLength(10)
    expect(utf8Length(failedRunsText(told))).toBeLessThan(3 * 1024)
  })
})
