import { describe, expect, it } from 'vitest'
import { check, type Flaps, noFlaps } from './flapping.ts'

const minute = 60_000

/** Checks a minute apart: `1` is up, `0` is not. */
function checked(checks: string, before: Flaps = noFlaps(0), from = 0): Flaps {
  return [...checks].reduce((flaps, mark, n) => check(flaps, mark === '1', from + n * minute), before)
}

describe('checks', () => {
  it('are kept in their order, the last 21', () => {
    expect(checked('1').checks).toBe('1')
    expect(checked(`0${'1'.repeat(20)}`).checks).toBe(`0${'1'.repeat(20)}`)
    expect(checked(`0${'1'.repeat(21)}`).checks).toBe('1'.repeat(21))
  })

  it('count at most once a minute, unless something changed', () => {
    const first = check(noFlaps(0), true, 0)
    expect(check(first, true, minute - 1)).toEqual(first)
    expect(check(first, true, minute)).toMatchObject({ checks: '11', checkedAt: minute, changedAt: 0 })
    expect(check(first, false, 1)).toMatchObject({ checks: '10', checkedAt: 1, changedAt: 1 })
  })

  it('know when something changed last; the first one is no change', () => {
    expect(checked('1').changedAt).toBe(0)
    expect(checked('1101').changedAt).toBe(3 * minute)
    expect(check(noFlaps(7), true, 50).changedAt).toBe(7)
  })
})

describe('flapping', () => {
  it('begins with the sixth change in a row, and not with the fifth', () => {
    expect(checked('101010').isFlapping).toBe(false)
    expect(checked('1010101').isFlapping).toBe(true)
  })

  it('takes one change in three checks for flapping, and one in four for none', () => {
    expect(checked('111000111000111000111').isFlapping).toBe(true)
    expect(checked('111100001111000011110').isFlapping).toBe(false)
  })

  it('weighs the newer changes more: from 0.8 to 1.2', () => {
    expect(checked('1010101').isFlapping).toBe(true)
    // The same six changes at the other end of the 21 checks weigh 0.8 and a little more each, which is too little.
    expect(checked(`1010101${'1'.repeat(14)}`, { ...noFlaps(0), isFlapping: false }).checks).toHaveLength(21)
    const quiet = check({ checks: `1010101${'1'.repeat(13)}`, checkedAt: 0, changedAt: 0, isFlapping: false }, true, minute)
    expect(quiet.isFlapping).toBe(false)
    const recent = check({ checks: `${'1'.repeat(14)}101010`, checkedAt: 0, changedAt: 0, isFlapping: false }, true, minute)
    expect(recent.isFlapping).toBe(true)
  })

  it('goes on while a fifth of the checks are changes, and until a quarter of an hour has passed without one', () => {
    const many = { checks: '10101010101010101', checkedAt: 0, changedAt: 0, isFlapping: true }
    expect(check(many, true, 60 * minute).isFlapping).toBe(true)
    const few = { checks: `1010${'1'.repeat(17)}`, checkedAt: 0, changedAt: 0, isFlapping: true }
    expect(check(few, true, 15 * minute).isFlapping).toBe(false)
    expect(check(few, true, 15 * minute - 1).isFlapping).toBe(true)
  })
})
