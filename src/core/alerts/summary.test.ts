import { expect, it } from 'vitest'
import { collapse } from './collapse.ts'
import { alertFacts, notification } from './notification.fixture.ts'
import type { AlertFacts, Notification } from './notification.ts'
import { summaryOf } from './summary.ts'

const about = (group: string, changes: Partial<AlertFacts> = {}): Notification =>
  notification({ group: { key: group, episode: 1, sequence: 1 }, alerts: [alertFacts({ fingerprint: group, ...changes })] })
const summary = (now: number, ...held: readonly Notification[]): Notification => summaryOf('mail', held, now, now)
const shown = ({ alerts }: Notification): readonly string[] =>
  alerts.map(({ severity, status, isKnown }) => `${severity} ${status}${isKnown ? ' known' : ''}`)

it('summaries that wait for one receiver lose nothing of what only an earlier one tells', () => {
  const earlier = summary(1, about('orders'), about('invoices', { severity: 'warning' }), about('parcels'))
  const latest = summary(2, about('parcels', { status: 'resolved' }), about('invoices', { severity: 'warning', isKnown: true }))
  const told = collapse([
    { ...earlier, more: 2 },
    { ...latest, more: 1 },
  ])
  expect(shown(told)).toEqual(['CRITICAL firing', 'WARNING firing', 'CRITICAL resolved'])
  expect(told).toMatchObject({ id: latest.id, group: latest.group, reason: 'digest', more: 3 })
})

it('what they tell together fires as long as one alert in them does, as severe as the worst of those', () => {
  const over = { status: 'resolved' } as const
  const told = collapse([summary(1, about('orders', { severity: 'warning' })), summary(2, about('invoices', over))])
  expect(told).toMatchObject({ status: 'firing', severity: 'WARNING' })
  expect(told.subject).toBe('2 summaries of alerts that could not be delivered before')
  expect(told.message).toBe('There were too many notifications to send each by itself, and their summaries had to wait.')
  const allOver = collapse([summary(1, about('orders')), summary(2, about('orders', over))])
  expect([allOver.status, allOver.severity, shown(allOver)]).toEqual(['resolved', 'CRITICAL', ['CRITICAL resolved']])
})

it('one that waits alone is told as it is', () => {
  const alone = summary(1, about('orders'))
  expect(collapse([alone])).toEqual(alone)
})
