import { describe, expect, it } from 'vitest'
import type { RatioCondition, SpikeCondition } from '../condition.ts'
import { type History, noHistory, remember } from '../history.ts'
import type { Values } from '../sample.ts'
import { judgeIncrease, judgeRatio, judgeSpike } from './counters.ts'

const minute = 60_000
const hour = 60 * minute

function seen(...looks: readonly (readonly [at: number, values: Values])[]): History {
  return looks.reduce((history, [at, values]) => remember(history, { subject: { source: 'shop' }, at, values }), noHistory)
}

describe('a ratio', () => {
  const ratio: RatioCondition = {
    ...{
      kind: 'ratio',
      of: 'deadLetteredTotal',
      to: 'handledTotal',
      limit: 0.05,
      windows: [10 * minute, 5 * minute],
      minSamples: 100,
    },
  }
  const totals = (handledTotal: number, deadLetteredTotal: number): Values => ({ handledTotal, deadLetteredTotal })
  const judged = (...looks: readonly (readonly [number, number, number])[]) =>
    judgeRatio(ratio, seen(...looks.map(([at, all, part]) => [at * minute, totals(all, part)] as const)), 10 * minute)

  it('holds above its limit in every window, and not at it', () => {
    expect(judged([0, 0, 0], [10, 100, 5])?.holds).toBe(false)
    expect(judged([0, 0, 0], [10, 100, 6])?.holds).toBe(true)
  })

  it('does not hold when it is above its limit in one window alone', () => {
    expect(judged([0, 0, 0], [4, 1000, 100], [10, 2000, 101])?.holds).toBe(false)
    expect(judged([0, 0, 0], [5, 9000, 0], [10, 9100, 100])?.holds).toBe(false)
  })

  it('says nothing about fewer than its samples in a window', () => {
    expect(judged([0, 0, 0], [10, 99, 99])?.holds).toBe(false)
    expect(judged([0, 0, 0], [5, 900, 900], [10, 999, 999])?.holds).toBe(false)
  })

  it('tells of its shortest window', () => {
    const found = judged([0, 0, 0], [5, 100, 50], [10, 300, 70])
    expect(found?.figures).toEqual({ count: 20, ratio: 0.1, threshold: 0.05, window: 5 * minute })
  })

  it('of nothing is nothing', () => {
    expect(judged([0, 0, 0], [10, 0, 0])).toEqual({
      ...{ holds: false, clear: true },
      figures: { count: 0, ratio: 0, threshold: 0.05, window: 5 * minute },
    })
  })

  it.each([[{ handledTotal: 5 }], [{ deadLetteredTotal: 5 }], [{}]])('of %j is unknown', (values) => {
    expect(judgeRatio(ratio, seen([0, values]), 0)).toBeUndefined()
  })
})

describe('an increase', () => {
  const judged = (limit: number, ...looks: readonly (readonly [number, Values])[]) =>
    judgeIncrease({ kind: 'increase', of: 'publishFailedTotal', limit, window: minute }, seen(...looks), minute)

  it('holds above its limit', () => {
    const looks = [
      [0, { publishFailedTotal: 1 }],
      [minute, { publishFailedTotal: 3 }],
    ] as const
    expect(judged(1, ...looks)).toEqual({ holds: true, clear: false, figures: { count: 2, threshold: 1, window: minute } })
    expect(judged(2, ...looks)?.holds).toBe(false)
  })

  it('is unknown where nobody counts', () => {
    expect(judged(0, [0, {}])).toBeUndefined()
  })
})

describe('a spike', () => {
  const spike: SpikeCondition = { kind: 'spike', window: 5 * minute, newAtLeast: 5, timesUsual: 5, floor: 20 }
  const judged = (came: number, causeHourlyMean?: number, apart: number = 5 * minute) => {
    const mean = causeHourlyMean === undefined ? {} : { causeHourlyMean }
    const looks = [[0, { causeLettersTotal: 10 }] as const, [apart, { causeLettersTotal: 10 + came, ...mean }] as const]
    return judgeSpike(spike, seen(...looks), apart)
  }

  it('of a cause without a past is so many letters in its window', () => {
    expect([judged(4)?.holds, judged(5)?.holds]).toEqual([false, true])
    expect(judged(5)?.figures).toEqual({ count: 5, threshold: 5, window: 5 * minute })
  })

  it('of a cause with a past is many times its mean, within an hour', () => {
    expect([judged(50, 10)?.holds, judged(51, 10)?.holds]).toEqual([false, true])
    expect(judged(51, 10, hour)?.figures).toEqual({ count: 51, threshold: 50, window: hour })
  })

  it('has a floor', () => {
    expect([judged(19, 0.1)?.holds, judged(20, 0.1)?.holds]).toEqual([false, true])
    expect(judged(20, 0.1)?.figures.threshold).toBe(20)
  })

  it('is unknown where nobody counts', () => {
    expect(judgeSpike(spike, seen([0, { causeHourlyMean: 1 }]), 0)).toBeUndefined()
  })
})
