import { describe, expect, it } from 'vitest'
import type { LevelCondition } from '../condition.ts'
import { type History, noHistory, remember } from '../history.ts'
import type { Measurement, Values } from '../sample.ts'
import { judgeLevel } from './level.ts'

const minute = 60_000

function seen(...looks: readonly (readonly [at: number, values: Values])[]): History {
  return looks.reduce((history, [at, values]) => remember(history, { subject: { source: 'shop' }, at, values }), noHistory)
}

const above = (limit: number, clear?: number): LevelCondition => ({
  ...{ kind: 'level', of: 'lag', is: 'above', limit },
  ...(clear !== undefined && { clear }),
})
const below = (limit: number, clear?: number): LevelCondition => ({ ...above(limit, clear), is: 'below' })

describe('a level', () => {
  it.each([
    ['above, below its limit', above(10), 9, false, true],
    ['above, at its limit', above(10), 10, false, true],
    ['above, beyond its limit', above(10), 11, true, false],
    ['above, beyond its limit, with a band', above(10, 8), 11, true, false],
    ['above, within its band', above(10, 8), 9, false, false],
    ['above, at the end of its band', above(10, 8), 8, false, false],
    ['above, below its band', above(10, 8), 7, false, true],
    ['below, above its limit', below(10), 11, false, true],
    ['below, at its limit', below(10), 10, false, true],
    ['below, under its limit', below(10), 9, true, false],
    ['below, within its band', below(10, 12), 11, false, false],
    ['below, at the end of its band', below(10, 12), 12, false, false],
    ['below, beyond its band', below(10, 12), 13, false, true],
    ['above, where what is clear holds too', above(10, 20), 15, true, false],
  ])('%s', (_, condition, lag, holds, clear) => {
    expect(judgeLevel(condition, seen([0, { lag }]), 0)).toEqual({ holds, clear, figures: { threshold: 10, count: lag } })
  })

  it('says nothing of what the last look did not hold', () => {
    expect(judgeLevel(above(1), seen([0, { lag: 5 }], [1, { letters: 5 }]), 1)).toBeUndefined()
  })

  it.each<[Measurement, object]>([
    ['diskFree', { ratio: 0.5 }],
    ['replayReturned', { ratio: 0.5 }],
    ['retentionUsed', { ratio: 0.5 }],
    ['oldestAge', { oldestAge: 0.5 }],
    ['untilLoss', { oldestAge: 0.5 }],
    ['replayStuckFor', { oldestAge: 0.5 }],
    ['sinkFailingFor', { oldestAge: 0.5 }],
    ['spooled', { count: 0.5 }],
  ])('tells %s as what it is', (of, figure) => {
    const found = judgeLevel({ kind: 'level', of, is: 'above', limit: 3 }, seen([0, { [of]: 0.5 }]), 0)
    expect(found?.figures).toEqual({ threshold: 3, ...figure })
  })
})

describe('what is told of the letters of a queue', () => {
  const figures = (history: History, now: number) =>
    judgeLevel({ kind: 'level', of: 'letters', is: 'above', limit: 3 }, history, now)?.figures

  it('at a first look is their number alone', () => {
    expect(figures(seen([0, { letters: 5 }]), 0)).toEqual({ threshold: 3, count: 5 })
  })

  it('is how many there were before, and how old they are', () => {
    const history = seen([0, { letters: 5 }], [1000, { letters: 6, oldestAge: 70 }])
    expect(figures(history, 1000)).toEqual({ threshold: 3, count: 6, previousCount: 5, oldestAge: 70 })
  })

  it('is how fast they grow once a minute has passed', () => {
    const history = (later: number): History => seen([0, { letters: 5 }], [later, { letters: 11 }])
    expect(figures(history(minute - 1), minute - 1)?.growthPerMinute).toBeUndefined()
    expect(figures(history(minute), minute)?.growthPerMinute).toBe(6)
    expect(figures(history(3 * minute), 3 * minute)?.growthPerMinute).toBe(2)
  })

  it('is how fast they grew in the last ten minutes, and not before', () => {
    const history = seen(
      [0, { letters: 100 }],
      [5 * minute, { letters: 10 }],
      [10 * minute, { letters: 10 }],
      [15 * minute, { letters: 30 }],
    )
    expect(figures(history, 15 * minute)?.growthPerMinute).toBe(2)
  })
})
