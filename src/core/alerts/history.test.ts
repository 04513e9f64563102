import { describe, expect, it } from 'vitest'
import { type History, increase, longestMemory, newest, noHistory, remember, smallest, valueAt, valueFrom } from './history.ts'
import type { Values } from './sample.ts'

const subject = { source: 'shop' }
const minute = 60_000
const hour = 60 * minute

function seen(...looks: readonly (readonly [at: number, values: Values])[]): History {
  return looks.reduce((history, [at, values]) => remember(history, { subject, at, values }), noHistory)
}

const letters = (...looks: readonly (readonly [at: number, letters: number])[]): History =>
  seen(...looks.map(([at, count]) => [at, { letters: count }] as const))

describe('what is remembered', () => {
  it('is every look that worked, the oldest first', () => {
    expect(letters([1, 5], [2, 6])).toEqual({
      looks: [
        { at: 1, values: { letters: 5 } },
        { at: 2, values: { letters: 6 } },
      ],
      failuresInARow: 0,
    })
  })

  it('counts failures in a row, with the last code, and begins anew when a look works', () => {
    const failed = ['one', 'other'].reduce(
      (history, code) => remember(history, { subject, at: 3, failed: code }),
      letters([1, 5]),
    )
    expect(failed).toMatchObject({ failuresInARow: 2, failure: 'other' })
    expect(failed.looks).toHaveLength(1)
    expect(remember(failed, { subject, at: 4, values: {} })).toMatchObject({ failuresInARow: 0 })
  })

  it('is thinned out only when there are 32 looks', () => {
    const often = (looks: number): History => letters(...Array.from({ length: looks }, (_, n) => [n * 1000, n] as const))
    expect(often(31).looks).toHaveLength(31)
    expect(often(32).looks.map(({ at }) => at / 1000)).toEqual([0, 5, 10, 15, 20, 25, 30, 31])
    expect(often(33).looks).toHaveLength(9)
  })

  it.each([
    ['five seconds apart within ten minutes', 10 * minute, 5000],
    ['a minute apart within seventy minutes', 70 * minute, minute],
    ['ten minutes apart within 25 hours', 25 * hour, 10 * minute],
  ])('stays %s', (_, age, apart) => {
    const now = 100 * hour
    const old = Array.from({ length: 30 }, (__, n) => [now - age + (n * apart) / 5, n] as const)
    const { looks } = letters(...old, [now - 1, 98], [now, 99])
    const kept = looks.map(({ at }) => at).filter((at) => at < now - 1)
    expect(kept).toEqual([0, 1, 2, 3, 4, 5].map((n) => now - age + n * apart))
  })

  it('is nothing that is older than 25 hours', () => {
    expect(longestMemory).toBe(25 * hour)
    const now = 100 * hour
    const old = Array.from({ length: 30 }, (_, n) => [now - longestMemory - 1 - (30 - n) * hour, n] as const)
    expect(letters(...old, [now - 1, 98], [now, 99]).looks.map(({ at }) => at)).toEqual([now - 1, now])
  })
})

describe('a value', () => {
  const history = seen([10, { letters: 5 }], [20, { lag: 3 }], [30, { letters: 7 }])

  it('now is that of the last look, whatever it held', () => {
    expect([newest(history), newest(noHistory)]).toEqual([{ letters: 7 }, {}])
  })

  it('at a time is that of the last look which held it', () => {
    expect([9, 10, 29, 30, 99].map((at) => valueAt(history, 'letters', at))).toEqual([undefined, 5, 5, 7, 7])
  })

  it('before anybody looked is that of the first look which held it', () => {
    expect([0, 29, 30].map((at) => valueFrom(history, 'letters', at))).toEqual([5, 5, 7])
    expect([valueFrom(history, 'lag', 0), valueFrom(history, 'consumers', 0)]).toEqual([3, undefined])
  })
})

describe('the increase of a counter', () => {
  const counted = (...looks: readonly (readonly [number, number])[]): History =>
    seen(...looks.map(([at, handledTotal]) => [at, { handledTotal }] as const))

  it('is what was added within the window, from the look before it on', () => {
    const history = counted([0, 100], [50, 110], [100, 130])
    expect([49, 50, 99, 100, 1000].map((window) => increase(history, 'handledTotal', window, 100))).toEqual([20, 20, 30, 30, 30])
  })

  it('counts from 0 where whoever counts has started anew', () => {
    expect(increase(counted([0, 100], [10, 7], [20, 7], [30, 9]), 'handledTotal', 100, 30)).toBe(9)
  })

  it('is nothing at the first look, and nothing of looks that did not hold it', () => {
    expect(increase(counted([0, 100]), 'handledTotal', 100, 0)).toBe(0)
    expect(increase(seen([0, { handledTotal: 1 }], [5, { lag: 4 }], [9, { handledTotal: 3 }]), 'handledTotal', 100, 9)).toBe(2)
  })
})

describe('the smallest in a window', () => {
  const history = letters([0, 1], [10, 5], [20, 3], [30, 9])

  it('is looked for in the window and in what it began with', () => {
    expect([5, 10, 15, 20, 30].map((window) => smallest(history, 'letters', window, 30))).toEqual([3, 3, 3, 3, 1])
    expect(smallest(history, 'letters', 1, 35)).toBe(9)
  })

  it('is nothing where nobody looked', () => {
    expect(smallest(history, 'lag', 100, 30)).toBeUndefined()
    expect(smallest(letters([10, 4]), 'letters', 100, 20)).toBe(4)
  })
})
