import type { LevelCondition } from '../condition.ts'
import { type History, newest, valueFrom } from '../history.ts'
import type { Figures } from '../notification.ts'
import type { Measurement } from '../sample.ts'
import { type Judge, verdict } from '../verdict.ts'

const rateOver = 10 * 60_000

export const judgeLevel: Judge<LevelCondition> = ({ of, is, limit, clear }, history, now) => {
  const value = newest(history)[of]
  if (value === undefined) return undefined
  const holds = is === 'above' ? value > limit : value < limit
  const isClear = clear === undefined ? !holds : is === 'above' ? value < clear : value > clear
  return verdict(holds, figuresOf(of, value, limit, history, now), isClear && !holds)
}

const shares: ReadonlySet<Measurement> = new Set<Measurement>(['diskFree', 'replayReturned', 'retentionUsed'])
const spans: ReadonlySet<Measurement> = new Set<Measurement>(['oldestAge', 'untilLoss', 'replayStuckFor', 'sinkFailingFor'])

function figuresOf(of: Measurement, value: number, threshold: number, history: History, now: number): Figures {
  if (of === 'letters') return { threshold, ...lettersOf(history, now) }
  if (shares.has(of)) return { threshold, ratio: value }
  return spans.has(of) ? { threshold, oldestAge: value } : { threshold, count: value }
}

/** What every rule about the letters of a queue tells beside what it judges. */
export function lettersOf(history: History, now: number): Figures {
  const { letters, oldestAge } = newest(history)
  const previous = history.looks.at(-2)?.values.letters
  const before = valueFrom(history, 'letters', now - rateOver)
  const since = history.looks.find(({ at }) => at >= now - rateOver)?.at ?? now
  const minutes = (now - since) / 60_000
  return {
    ...(letters !== undefined && { count: letters }),
    ...(previous !== undefined && { previousCount: previous }),
    ...(oldestAge !== undefined && { oldestAge }),
    ...(letters !== undefined && before !== undefined && minutes >= 1 && { growthPerMinute: (letters - before) / minutes }),
  }
}
