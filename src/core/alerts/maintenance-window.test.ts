import { describe, expect, it } from 'vitest'
import { isTimeZone, isWithin, type MaintenanceWindow, weekdays, windowSilences } from './maintenance-window.ts'
import { raisedAlert } from './raised-alert.fixture.ts'

const at = (text: string): number => Date.parse(text)
const sunday: MaintenanceWindow = {
  ...{ name: 'backup', matchers: [{ name: 'source', is: '=', value: 'shop' }], days: ['sun'], timeZone: 'UTC' },
  ...{ from: 60, to: 120 },
}
/** From Sunday 23:00 to Monday 01:00. */
const overMidnight: MaintenanceWindow = { ...sunday, from: 23 * 60, to: 60 }

describe('a window', () => {
  // 2030-01-06 is a Sunday.
  it.each([
    ['2030-01-06T00:59:59Z', false],
    ['2030-01-06T01:00:00Z', true],
    ['2030-01-06T01:59:59Z', true],
    ['2030-01-06T02:00:00Z', false],
    ['2030-01-05T01:30:00Z', false],
    ['2030-01-07T01:30:00Z', false],
  ])('from one to two on Sundays, at %s: %s', (time, expected) => {
    expect(isWithin(sunday, at(time))).toBe(expected)
  })

  it.each([
    ['2030-01-06T22:59:00Z', false],
    ['2030-01-06T23:00:00Z', true],
    ['2030-01-07T00:59:00Z', true],
    ['2030-01-07T01:00:00Z', false],
    ['2030-01-06T00:30:00Z', false],
    ['2030-01-07T23:30:00Z', false],
  ])('over midnight, at %s: %s', (time, expected) => {
    expect(isWithin(overMidnight, at(time))).toBe(expected)
  })

  it('that ends when it begins is a whole day', () => {
    const day = { ...sunday, from: 600, to: 600 }
    expect([isWithin(day, at('2030-01-06T10:00:00Z')), isWithin(day, at('2030-01-07T09:59:00Z'))]).toEqual([true, true])
    expect([isWithin(day, at('2030-01-06T09:59:00Z')), isWithin(day, at('2030-01-07T10:00:00Z'))]).toEqual([false, false])
  })

  it.each(weekdays.map((day, n) => [day, n] as const))('knows %s', (day, n) => {
    const week = weekdays.map((_, other) =>
      isWithin({ ...sunday, days: [day] }, at(`2030-01-${String(7 + other).padStart(2, '0')}T01:30:00Z`)),
    )
    expect(week.indexOf(true)).toBe(n)
    expect(week.filter(Boolean)).toHaveLength(1)
  })

  it('goes by the wall clock of its time zone, in summer and in winter', () => {
    const berlin = { ...sunday, timeZone: 'Europe/Berlin' }
    expect([isWithin(berlin, at('2030-01-06T00:30:00Z')), isWithin(berlin, at('2030-01-06T01:30:00Z'))]).toEqual([true, false])
    expect([isWithin(berlin, at('2030-07-06T23:30:00Z')), isWithin(berlin, at('2030-07-07T00:30:00Z'))]).toEqual([true, false])
  })

  it('at midnight is at minute 0', () => {
    expect(isWithin({ ...sunday, from: 0, to: 1 }, at('2030-01-06T00:00:30Z'))).toBe(true)
  })

  it('keeps quiet what fits while it lasts, and nothing that must not be missed', () => {
    const within = at('2030-01-06T01:30:00Z')
    expect(windowSilences(sunday, raisedAlert(), within)).toBe(true)
    expect(windowSilences(sunday, raisedAlert(), within + 3_600_000)).toBe(false)
    expect(windowSilences(sunday, raisedAlert({ subject: { source: 'bank' } }), within)).toBe(false)
    expect(windowSilences(sunday, raisedAlert({ type: 'dlq.publish.failed' }), within)).toBe(false)
  })
})

it.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Europe/Atlantis', false],
  ['', false],
])('%j is a time zone: %s', (name, expected) => {
  expect(isTimeZone(name)).toBe(expected)
})
