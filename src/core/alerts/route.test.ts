import { expect, it } from 'vitest'
import { alertFacts } from './notification.fixture.ts'
import type { AlertFacts } from './notification.ts'
import { type Route, routeOf } from './route.ts'

const takes = (route: Route, alert: Partial<AlertFacts>): boolean => routeOf(route)(alertFacts(alert))

it('without a condition everything is for it', () => {
  expect(takes({}, { severity: 'info' })).toBe(true)
})

it.each([
  ['info', [true, true, true]],
  ['warning', [false, true, true]],
  ['critical', [false, false, true]],
] as const)('%s and what is more urgent', (severity, expected) => {
  expect((['info', 'warning', 'critical'] as const).map((own) => takes({ severity }, { severity: own }))).toEqual(expected)
})

it('sources, owners and rules go by name, with stars', () => {
  expect([takes({ sources: ['sh*'] }, {}), takes({ sources: ['bank'] }, {}), takes({ sources: [] }, {})]).toEqual([
    true,
    false,
    false,
  ])
  expect([takes({ rules: ['x', 'dlq.*'] }, {}), takes({ rules: ['fail.*'] }, {})]).toEqual([true, false])
  const owned = { labels: { owner: 'team-a' } }
  expect([takes({ owners: ['team-*'] }, owned), takes({ owners: ['team-b'] }, owned), takes({ owners: ['team-*'] }, {})]).toEqual(
    [...[true, false, false]],
  )
})

it('all conditions have to hold', () => {
  const route: Route = { severity: 'critical', sources: ['shop'] }
  expect([takes(route, { severity: 'warning' }), takes(route, { subject: { source: 'bank' } }), takes(route, {})]).toEqual([
    ...[false, false, true],
  ])
})

it('a heartbeat goes only where it was asked for by name', () => {
  const heartbeat = { rule: 'watchdog', severity: 'info' } as const
  expect([takes({}, heartbeat), takes({ rules: ['*'] }, heartbeat), takes({ rules: ['watchdog'] }, heartbeat)]).toEqual([
    ...[false, false, true],
  ])
})
