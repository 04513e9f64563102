import { describe, expect, it } from 'vitest'
import { collapse, neverTold } from './collapse.ts'
import { isHopeless, longestWait, nextDelivery, type Waiting } from './delivery-plan.ts'
import { alertFacts, notification, resolved } from './notification.fixture.ts'
import type { AlertFacts } from './notification.ts'
import { routeOf } from './route.ts'

const now = 1_000_000_000_000

function row(id: number, groupKey: string, changes: Partial<Waiting> = {}): Waiting {
  return { id, groupKey, attempts: 0, nextAt: now, failingSince: null, ...changes }
}

describe('what a sink is told next', () => {
  it('is the oldest group, with everything that waits of it', () => {
    const rows = [row(1, 'a'), row(2, 'b'), row(3, 'a')]
    expect(nextDelivery(rows, now)).toEqual({ kind: 'send', rows: [rows[0], rows[2]] })
  })

  it('is nothing of a group whose first one has to wait, and the next group goes on', () => {
    const rows = [row(1, 'a', { nextAt: now + 5000 }), row(2, 'a'), row(3, 'b')]
    expect(nextDelivery(rows, now)).toEqual({ kind: 'send', rows: [rows[2]] })
    expect(nextDelivery(rows.slice(0, 2), now)).toEqual({ kind: 'rest', until: now + 5000 })
  })

  it('does not wait for weeks because the clock was set back', () => {
    const rows = [row(1, 'a', { nextAt: now + longestWait + 1 })]
    expect(nextDelivery(rows, now).kind).toBe('send')
  })

  it.each([
    [24 * 3_600_000, 20, true],
    [24 * 3_600_000 - 1, 500, false],
    [40 * 24 * 3_600_000, 19, false],
  ])('is given up after failing for %i ms in %i tries: %s', (failingFor, attempts, hopeless) => {
    expect(isHopeless(row(1, 'a', { failingSince: now - failingFor, attempts }), now)).toBe(hopeless)
  })
})

describe('several notifications about one group', () => {
  const b = (changes: Partial<AlertFacts> = {}): AlertFacts => alertFacts({ fingerprint: 'b'.repeat(64), ...changes })

  it('are told as the latest, under its name', () => {
    const latest = resolved()
    expect(collapse([notification({ reason: 'repeat' }), latest])).toEqual(latest)
  })

  it('say so when nobody heard that it began', () => {
    expect(collapse([notification(), resolved()]).message).toBe(`${neverTold} ${resolved().message}`)
    expect(collapse([notification({ reason: 'repeat' }), resolved()]).message).toBe(resolved().message)
  })

  it('keep the end of an alert that is in none of the later ones', () => {
    const over = notification({ reason: 'resolved', alerts: [alertFacts({ status: 'resolved' }), b()] })
    const told = collapse([over, notification({ reason: 'repeat', alerts: [b()] })])
    expect(told.alerts.map(({ status }) => status)).toEqual(['firing', 'resolved'])
    const again = notification({ reason: 'new-alert', alerts: [alertFacts(), b()] })
    expect(collapse([over, again, notification({ alerts: [b()] })]).alerts).toHaveLength(1)
  })
})

describe('a route', () => {
  const owned = alertFacts({ severity: 'warning', labels: { owner: 'payments' } })

  it.each([
    [{}, true],
    [{ severity: 'warning' }, true],
    [{ severity: 'critical' }, false],
    [{ sources: ['sh*'] }, true],
    [{ sources: ['other'] }, false],
    [{ owners: ['payments'] }, true],
    [{ owners: ['orders'] }, false],
    [{ rules: ['dlq.*'] }, true],
    [{ rules: ['broker.down'] }, false],
    [{ severity: 'info', sources: ['shop'], owners: ['orders'] }, false],
  ] as const)('of %j takes a warning about shop that payments owns: %s', (route, takes) => {
    expect(routeOf(route)(owned)).toBe(takes)
  })

  it('gives the watchdog only to who asks for it by name', () => {
    const alive = alertFacts({ rule: 'watchdog' })
    expect(routeOf({})(alive)).toBe(false)
    expect(routeOf({ rules: ['*'] })(alive)).toBe(false)
    expect(routeOf({ rules: ['watchdog'] })(alive)).toBe(true)
  })
})
