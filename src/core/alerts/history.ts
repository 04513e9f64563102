import type { Measurement, Sample, Values } from './sample.ts'

/** What is remembered of one subject: looks that worked, oldest first, and how many failed in a row since. */
export interface History {
  readonly looks: readonly Look[]
  readonly failuresInARow: number
  readonly failure?: string
  /** What the last look that worked said about reading letters. */
  readonly unread?: string
}

export interface Look {
  readonly at: number
  readonly values: Values
}

export const noHistory: History = { looks: [], failuresInARow: 0 }

/** How long looks are kept, and how far apart: what is longer ago is needed less exactly. */
const ages: readonly { readonly upTo: number; readonly apart: number }[] = [
  { upTo: 10 * 60_000, apart: 5000 },
  { upTo: 70 * 60_000, apart: 60_000 },
  { upTo: 25 * 3_600_000, apart: 10 * 60_000 },
]

export const longestMemory: number = 25 * 3_600_000

/** Thinned out once there is enough to thin; the newest two always stay. */
const thinFrom = 32

export function remember(history: History, { at, values, failed, unread }: Sample): History {
  if (failed !== undefined) return { ...history, failuresInARow: history.failuresInARow + 1, failure: failed }
  const looks = [...history.looks, { at, values }]
  return {
    looks: looks.length % thinFrom === 0 ? thinned(looks, at) : looks,
    failuresInARow: 0,
    ...(unread !== undefined && { unread }),
  }
}

/** Of the looks that stand closer together than their age asks for, the first one stays. */
function thinned(looks: readonly Look[], now: number): readonly Look[] {
  const kept: Look[] = []
  for (const [index, look] of looks.entries()) {
    const age = ages.find(({ upTo }) => now - look.at <= upTo)
    const isNew = index >= looks.length - 2
    const before = kept.at(-1)
    if (isNew || (age && (before === undefined || look.at - before.at >= age.apart))) kept.push(look)
  }
  return kept
}

export function newest(history: History): Values {
  return history.looks.at(-1)?.values ?? {}
}

/** What it was at a time: the last look at or before it. */
export function valueAt({ looks }: History, of: Measurement, at: number): number | undefined {
  return looks.findLast((look) => look.at <= at && look.values[of] !== undefined)?.values[of]
}

/** What it was at a time, or at the first look after it where nobody looked before. */
export function valueFrom(history: History, of: Measurement, at: number): number | undefined {
  return valueAt(history, of, at) ?? history.looks.find((look) => look.values[of] !== undefined)?.values[of]
}

/** By how much a counter grew in a window. One that is smaller than before has started anew at 0. */
export function increase({ looks }: History, of: Measurement, window: number, now: number): number {
  let before: number | undefined
  let grown = 0
  for (const { at, values } of looks) {
    const value = values[of]
    if (value === undefined) continue
    if (before !== undefined && at > now - window) grown += value >= before ? value - before : value
    before = value
  }
  return grown
}

/** The smallest in a window, the value that it began with included. */
export function smallest(history: History, of: Measurement, window: number, now: number): number | undefined {
  const within = history.looks.filter(({ at }) => at > now - window).flatMap(({ values }) => values[of] ?? [])
  const begin = valueAt(history, of, now - window)
  const all = begin === undefined ? within : [begin, ...within]
  return all.length === 0 ? undefined : Math.min(...all)
}
