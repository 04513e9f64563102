import { expect, it } from 'vitest'
import { raisedAlert } from './raised-alert.fixture.ts'
import { isShownUp, isUrgent, type RaisedAlert } from './raised-alert.ts'

it('an alert is shown up while it fires, recovers or flaps', () => {
  const shown = (phase: RaisedAlert['state']['phase'], isFlapping = false): boolean =>
    isShownUp({ state: { phase, since: 0, episode: 1 }, flaps: { ...raisedAlert().flaps, isFlapping } })
  expect([shown('ok'), shown('pending'), shown('firing'), shown('recovering'), shown('ok', true)]).toEqual([
    ...[false, false, true, true, true],
  ])
})

it.each([
  ['dlq.any', 'critical', true],
  ['dlq.publish.failed', 'critical', true],
  ['dlq.any', 'warning', false],
  ['dlq.publish.failed', 'info', false],
  ['dlq.count', 'critical', false],
] as const)('%s, %s is urgent: %s', (type, severity, expected) => {
  expect(isUrgent({ type, severity })).toBe(expected)
})
