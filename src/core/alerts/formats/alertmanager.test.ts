import { expect, it } from 'vitest'
import { alertFacts, notification } from '../notification.fixture.ts'
import { alertmanagerAlerts } from './alertmanager.ts'
import { rich } from './rich.fixture.ts'

const told = rich()
const [dedupKey] = told.alerts.map((alert) => alert.dedupKey)

it('Alertmanager gets these alerts and no others', () => {
  const link = `https://redrive.example/alerts#${'f'.repeat(64)}`
  expect(JSON.parse(alertmanagerAlerts(told))).toEqual([
    {
      labels: {
        ...{ cost_centre: 'a', alertname: 'dlq.any', severity: 'warning', source: 'shop', queue: 'dlq.orders' },
        ...{ consumer_group: 'billing', cause: 'v1:c1', redrive_alert: dedupKey },
      },
      annotations: {
        summary: 'Letters in a dead-letter queue',
        description: '1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.',
        ...{ component: 'RabbitMQ', runbook_url: 'https://wiki.example/dlq', count: '3', threshold: '0.12345' },
        ...{ correlation_ids: 'order-1, order-2', redrive_instance: 'redrive-1' },
      },
      startsAt: '2030-01-02T11:59:00.000Z',
      endsAt: '2030-01-02T17:00:00.000Z',
      generatorURL: link,
    },
    {
      labels: { alertname: 'dlq.any', severity: 'critical', redrive_alert: dedupKey },
      annotations: {
        ...{ summary: 'Letters in a dead-letter queue', description: 'It is over.', component: 'RabbitMQ' },
        redrive_instance: 'redrive-1',
      },
      startsAt: '2030-01-02T11:59:00.000Z',
      endsAt: '2030-01-02T12:00:00.000Z',
      generatorURL: link,
    },
  ])
})

it('an alert never starts after it ends, and has no link where there is none', () => {
  const at = Date.parse('2030-01-02T12:00:00.000Z')
  const late = alertFacts({ status: 'resolved', firstAt: at + 60_000 })
  const { dashboard: _, ...facts } = { alerts: [late], dashboard: undefined }
  const [alert] = JSON.parse(
    alertmanagerAlerts({ ...notification(facts), alerts: notification(facts).alerts.map(({ link: __, ...rest }) => rest) }),
  )
  expect([alert.startsAt, alert.endsAt]).toEqual(['2030-01-02T12:01:00.000Z', '2030-01-02T12:01:00.000Z'])
  expect('generatorURL' in alert).toBe(false)
})

it.each([
  ['cost-centre', 'cost_centre'],
  ['9lives', '_9lives'],
  ['a9', 'a9'],
  ['Ünï', '_n_'],
  ['', '_'],
  ['AZaz09_', 'AZaz09_'],
])('a label named %j is %j there', (name, expected) => {
  const [{ labels }] = JSON.parse(alertmanagerAlerts(notification({ alerts: [alertFacts({ labels: { [name]: 'x' } })] })))
  expect(labels[expected]).toBe('x')
})
