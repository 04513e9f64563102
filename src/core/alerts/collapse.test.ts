import { describe, expect, it } from 'vitest'
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

const numbered = (from: number, count: number, changes: Partial<AlertFacts>): readonly AlertFacts[] =>
  Array.from({ length: count }, (_, n) => alertFacts({ fingerprint: String(from + n).padStart(64, '0'), ...changes }))
const known = (from: number, count: number): readonly AlertFacts[] => numbered(from, count, { isKnown: true })
const listsFirst = (told: Notification, other: Notification): boolean => told.alerts[0]?.dedupKey === other.alerts[0]?.dedupKey

describe('where there are more than twenty', () => {
  const begun = about(alert(9), ...known(0, 19))

  it('what nobody was told of yet stands first, also when the latest takes it for known and has no place for it', () => {
    const told = collapse([begun, { ...about(...known(0, 20)), more: 5 }])
    expect([told.alerts.length, told.more, listsFirst(told, begun)]).toEqual([20, 5, true])
    const again = collapse([told, { ...about(...known(0, 20)), more: 5 }])
    expect([again.more, listsFirst(again, begun)]).toEqual([5, true])
  })

  it('what the latest lists as known is news where one that waits was the first to tell it', () => {
    const told = collapse([begun, about(...known(0, 5), alert(9, { isKnown: true }))])
    expect([told.alerts.length, told.more, listsFirst(told, begun)]).toEqual([6, 0, true])
  })

  it('an end has its place before those that people know', () => {
    const told = collapse([about(over(9)), about(...known(0, 20))])
    expect([states(told).at(-1), told.more]).toEqual(['resolved', 1])
  })

  it('nobody is said to fire who may be over: the latest lists all, or had no place for all that ended', () => {
    const isListed = (told: Notification): boolean =>
      told.alerts.some(({ dedupKey, status }) => status === 'firing' && dedupKey === begun.alerts[0]?.dedupKey)
    expect(isListed(collapse([begun, about(...known(0, 20))]))).toBe(false)
    const ends = numbered(100, 20, { status: 'resolved' })
    expect(isListed(collapse([begun, { ...about(...known(0, 1), ...ends), more: 3 }]))).toBe(false)
    expect(isListed(collapse([begun, about(over(9), ...known(0, 10)), { ...about(...known(0, 20)), more: 5 }]))).toBe(false)
  })
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
