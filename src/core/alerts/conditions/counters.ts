import type { IncreaseCondition, RatioCondition, SpikeCondition } from '../condition.ts'
import { increase, newest } from '../history.ts'
import { type Judge, verdict } from '../verdict.ts'

const hour = 3_600_000

/** Above its limit in every window: the long one says that it is worth a call, the short one that it is so still. */
export const judgeRatio: Judge<RatioCondition> = ({ of, to, limit, windows, minSamples }, history, now) => {
  const values = newest(history)
  if (values[of] === undefined || values[to] === undefined) return undefined
  const found = windows.map((window) => {
    const all = increase(history, to, window, now)
    const part = increase(history, of, window, now)
    return { window, all, part, share: all === 0 ? 0 : part / all }
  })
  const holds = found.every(({ all, share }) => all >= minSamples && share > limit)
  const shortest = found.reduce((one, other) => (other.window < one.window ? other : one))
  return verdict(holds, { count: shortest.part, ratio: shortest.share, threshold: limit, window: shortest.window })
}

export const judgeIncrease: Judge<IncreaseCondition> = ({ of, limit, window }, history, now) => {
  if (newest(history)[of] === undefined) return undefined
  const count = increase(history, of, window, now)
  return verdict(count > limit, { count, threshold: limit, window })
}

/** A cause without a past is compared with a number, one with a past with itself. */
export const judgeSpike: Judge<SpikeCondition> = ({ window, newAtLeast, timesUsual, floor }, history, now) => {
  const { causeLettersTotal, causeHourlyMean: mean } = newest(history)
  if (causeLettersTotal === undefined) return undefined
  if (mean === undefined) {
    const count = increase(history, 'causeLettersTotal', window, now)
    return verdict(count >= newAtLeast, { count, threshold: newAtLeast, window })
  }
  const count = increase(history, 'causeLettersTotal', hour, now)
  return verdict(count > timesUsual * mean && count >= floor, {
    count,
    threshold: Math.max(floor, timesUsual * mean),
    window: hour,
  })
}
