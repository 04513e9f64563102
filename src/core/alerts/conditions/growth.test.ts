import { describe, expect, it } from 'vitest'
import type { GrowthCondition } from '../condition.ts'
import { type History, noHistory, remember } from '../history.ts'
import { judgeGrowth, judgeNotShrinking } from './growth.ts'

const minute = 60_000
const window = 10 * minute

function letters(...counts: readonly number[]): History {
  return counts.reduce(
    (history, count, n) => remember(history, { subject: { source: 'shop' }, at: n * window, values: { letters: count } }),
    noHistory,
  )
}

const growth: GrowthCondition = { kind: 'growth', window, limit: 50, timesUsual: 3, usualOver: 24 * 6 * window, floor: 10 }
const judged = (...counts: readonly number[]) => judgeGrowth(growth, letters(...counts), (counts.length - 1) * window)
/** Queues that grow by these numbers, one window after the other. */
function growing(...inflows: readonly number[]): ReturnType<typeof judged> {
  let count = 0
  const counts = inflows.map((inflow) => {
    count += inflow
    return count
  })
  return judged(0, ...counts)
}

describe('growth', () => {
  it('holds above its limit, and not at it', () => {
    expect([judged(0, 50)?.holds, judged(0, 51)?.holds]).toEqual([false, true])
  })

  it('is what came in the last window, less what went', () => {
    expect(judged(100, 0, 51)).toMatchObject({ holds: true, figures: { count: 51, threshold: 50, window, growthPerMinute: 5.1 } })
    expect(judged(100, 60)).toMatchObject({ holds: false, figures: { growthPerMinute: -4 } })
  })

  it('is nothing at a first look, and unknown where nobody counts', () => {
    expect(judged(500)?.holds).toBe(false)
    expect(judgeGrowth(growth, noHistory, 0)).toBeUndefined()
  })

  it('is compared with the usual when there are twelve windows before', () => {
    const usual = (windows: number): readonly number[] => Array.from({ length: windows }, () => 8)
    expect(growing(...usual(11), 30)?.figures.threshold).toBe(50)
    expect(growing(...usual(12), 24)).toMatchObject({ holds: false, figures: { threshold: 24 } })
    expect(growing(...usual(12), 25)).toMatchObject({ holds: true, figures: { threshold: 24 } })
  })

  it('takes the middle of what is usual, in any order', () => {
    expect(growing(1, 9, 1, 9, 1, 9, 1, 9, 1, 9, 5, 5, 5, 30)?.figures.threshold).toBe(15)
    expect(growing(9, 1, 9, 1, 9, 1, 7, 5, 9, 1, 9, 1, 30)?.figures.threshold).toBe(18)
    expect(growing(100, 2, 100, 2, 100, 2, 100, 6, 2, 4, 2, 2, 9, 30)?.figures.threshold).toBe(12)
  })

  it('has a floor, and takes what shrank for nothing', () => {
    expect(growing(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 11)).toMatchObject({ holds: true, figures: { threshold: 10 } })
    expect(growing(90, -9, 5, -9, 5, -9, 5, -9, 5, -9, 5, 5, 5, 40)?.figures.threshold).toBe(15)
  })

  it('does not look back further than it was told', () => {
    const short = { ...growth, usualOver: 13 * window }
    const history = letters(0, 900, ...Array.from({ length: 12 }, (_, n) => 908 + 8 * n), 1096)
    expect(judgeGrowth(short, history, 14 * window)?.figures.threshold).toBe(24)
    expect(judgeGrowth({ ...short, usualOver: 13 * window - 1 }, history, 14 * window)?.figures.threshold).toBe(50)
  })
})

describe('what does not shrink', () => {
  const stuck = (...counts: readonly number[]) =>
    judgeNotShrinking({ kind: 'not-shrinking', of: 'letters', window }, letters(...counts), (counts.length - 1) * window)

  it.each([
    ['stands still', [5, 5], true],
    ['grows', [5, 6], true],
    ['shrinks', [5, 4], false],
    ['was empty at first', [0, 5], false],
    ['is empty', [0, 0], false],
    ['is seen for the first time', [5], false],
  ])('%s', (_, counts, holds) => {
    expect(stuck(...counts)).toEqual({ holds, clear: !holds, figures: { count: counts.at(-1), window } })
  })

  it('was never empty meanwhile', () => {
    const history = [5, 0, 6].reduce(
      (known, count, n) => remember(known, { subject: { source: 'shop' }, at: n * minute, values: { letters: count } }),
      noHistory,
    )
    const condition = { kind: 'not-shrinking', of: 'letters', window: 2 * minute } as const
    expect(judgeNotShrinking(condition, history, 2 * minute)?.holds).toBe(false)
    expect(judgeNotShrinking({ ...condition, of: 'lag' }, history, 2 * minute)).toBeUndefined()
  })
})
