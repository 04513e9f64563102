import { expect, it } from 'vitest'
import { isAcknowledged, isSilenced, type Marks, type Quiet } from './mute.ts'
import { raisedAlert } from './raised-alert.fixture.ts'

const alert = raisedAlert()
const nobody: Quiet = { silences: [], windows: [], marks: new Map() }
const marked = (marks: Omit<Marks, 'episode'>, episode = 1): Quiet => ({
  ...nobody,
  marks: new Map([[alert.fingerprint, { episode, ...marks }]]),
})
const matchers = [{ name: 'source', is: '=', value: 'shop' }] as const
// A Tuesday.
const wallNow = Date.UTC(2030, 0, 1, 12)

it('what nobody said anything about is neither silenced nor acknowledged', () => {
  expect([isSilenced(alert, nobody, 0, wallNow), isAcknowledged(alert, nobody, 0)]).toEqual([false, false])
})

it('a snooze is silence until it ends, of whatever episode', () => {
  const quiet = marked({ snoozedUntil: 100 }, 9)
  expect([99, 100].map((now) => isSilenced(alert, quiet, now, wallNow))).toEqual([true, false])
  expect(isSilenced(raisedAlert({ subject: { source: 'bank' } }), quiet, 0, wallNow)).toBe(false)
})

it('a silence and a maintenance window are silence, by their own clocks', () => {
  const silences = [{ matchers, starts: 50, ends: 100, evenProtected: false }]
  expect([49, 50, 100].map((now) => isSilenced(alert, { ...nobody, silences }, now, wallNow))).toEqual([false, true, false])
  const window = { name: 'w', matchers, days: ['tue'], from: 0, to: 1000, timeZone: 'UTC' } as const
  const quiet = { ...nobody, windows: [window] }
  expect([isSilenced(alert, quiet, 0, wallNow), isSilenced(alert, quiet, 0, wallNow + 24 * 3_600_000)]).toEqual([true, false])
})

it('an acknowledgement is about one episode, until it ends', () => {
  const quiet = marked({ acknowledgedUntil: 100 })
  expect([99, 100].map((now) => isAcknowledged(alert, quiet, now))).toEqual([true, false])
  expect(isAcknowledged(alert, marked({ acknowledgedUntil: 100 }, 2), 0)).toBe(false)
  expect(isAcknowledged(alert, marked({ snoozedUntil: 100 }), 0)).toBe(false)
  expect(isSilenced(alert, quiet, 0, wallNow)).toBe(false)
})
