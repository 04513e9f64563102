import type { GrowthCondition, NotShrinkingCondition } from '../condition.ts'
import { type History, newest, smallest, valueAt, valueFrom } from '../history.ts'
import { type Judge, verdict } from '../verdict.ts'
import { lettersOf } from './level.ts'

/** Fewer windows than that say nothing about what is usual. */
const fewestWindows = 12

/** Net inflow: what came, less what was dealt with. */
export const judgeGrowth: Judge<GrowthCondition> = (condition, history, now) => {
  const { letters } = newest(history)
  if (letters === undefined) return undefined
  const { window, limit } = condition
  const inflow = letters - (valueFrom(history, 'letters', now - window) ?? letters)
  const threshold = Math.min(limit, unusualAbove(condition, history, now))
  return verdict(inflow > threshold, {
    ...lettersOf(history, now),
    threshold,
    window,
    growthPerMinute: (inflow * 60_000) / window,
  })
}

/** A multiple of the median inflow of the windows before this one; nothing is unusual where nobody knows what is usual. */
function unusualAbove({ window, timesUsual, usualOver, floor }: GrowthCondition, history: History, now: number): number {
  const inflows: number[] = []
  for (let end = now - window; end - window >= now - usualOver; end -= window) {
    const [from, to] = [valueAt(history, 'letters', end - window), valueAt(history, 'letters', end)]
    if (from === undefined || to === undefined) break
    inflows.push(Math.max(0, to - from))
  }
  if (inflows.length < fewestWindows) return Number.POSITIVE_INFINITY
  return Math.max(floor, timesUsual * median(inflows))
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** It stands still or grows, and was never empty meanwhile. Nobody knows before the window has passed once. */
export const judgeNotShrinking: Judge<NotShrinkingCondition> = ({ of, window }, history, now) => {
  const value = newest(history)[of]
  if (value === undefined) return undefined
  const before = valueAt(history, of, now - window)
  const least = smallest(history, of, window, now) ?? 0
  return verdict(before !== undefined && least > 0 && value >= before, { count: value, window })
}
