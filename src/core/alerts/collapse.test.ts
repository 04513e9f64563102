import { expect, it } from 'vitest'
import { collapse, neverTold } from './collapse.ts'
import { alertFacts, notification, resolved } from './notification.fixture.ts'
import type { AlertFacts, Notification } from './notification.ts'

const alert = (n: number, changes: Partial<AlertFacts> = {}): AlertFacts =>
  alertFacts({ fingerprint: `${n}`.repeat(64), ...changes })
const over = (n: number): AlertFacts => alert(n, { status: 'resolved' })
const about = (...alerts: readonly AlertFacts[]): Notification => notification({ alerts, reason: 'new-alert' })
const states = ({ alerts }: Notification): readonly string[] => alerts.map(({ status }) => status)

it('one that waits alone is told as it is', () => {
  expect(collapse([resolved()])).toEqual(resolved())
  expect(collapse([about(over(1))]).alerts).toHaveLength(1)
})

it('every end that stood only in an earlier one is told beside the latest', () => {
  const told = collapse([about(alert(1), over(2)), about(alert(1), over(3)), about(alert(4))])
  expect(states(told)).toEqual(['firing', 'resolved', 'resolved'])
  expect(told.more).toBe(0)
})

it('an end is not told of what fires again, or of what the latest tells of anyway', () => {
  expect(states(collapse([about(over(1)), about(alert(1)), about(alert(2))]))).toEqual(['firing'])
  expect(states(collapse([about(over(1)), about(alert(1), alert(2))]))).toEqual(['firing', 'firing'])
})

it('twenty are listed, and the others are counted', () => {
  const many = (from: number, count: number): readonly AlertFacts[] =>
    Array.from({ length: count }, (_, n) => alertFacts({ fingerprint: String(from + n).padStart(64, '0') }))
  const ends = many(100, 15).map((each): AlertFacts => ({ ...each, status: 'resolved' }))
  const told = collapse([about(...ends), { ...about(...many(0, 10)), more: 2 }])
  expect([told.alerts.length, told.more]).toEqual([20, 7])
})

it('says so when nobody heard that it began, and only then', () => {
  expect(neverTold).toBe('It fired and was resolved before this could be delivered.')
  const message = (...waiting: readonly [Notification, ...Notification[]]): boolean =>
    collapse(waiting).message.startsWith(neverTold)
  expect(message(notification(), resolved())).toBe(true)
  expect(message(notification(), notification({ reason: 'repeat' }), resolved())).toBe(true)
  expect(message(notification({ reason: 'repeat' }), resolved())).toBe(false)
  expect(message(notification(), notification({ reason: 'new-alert' }))).toBe(false)
  expect(message(resolved({ reason: 'first' }), resolved())).toBe(false)
})
