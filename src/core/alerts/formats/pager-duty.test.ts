import { expect, it } from 'vitest'
import { alertFacts, notification } from '../notification.fixture.ts'
import { pagerDutyEvent } from './pager-duty.ts'
import { rich } from './rich.fixture.ts'
import { wordsOf } from './words.ts'

const told = rich()

it('PagerDuty gets this event and no other', () => {
  expect(JSON.parse(pagerDutyEvent(told, 'key'))).toEqual({
    routing_key: 'key',
    dedup_key: told.group.dedupKey,
    event_action: 'trigger',
    client: 'Redrive',
    client_url: 'https://redrive.example/alerts',
    links: [{ href: 'https://redrive.example/alerts', text: 'All alerts' }],
    payload: {
      summary: '[WARNING] Poison message detected in DLQ dlq.orders',
      source: 'dlq.orders',
      severity: 'warning',
      timestamp: '2030-01-02T12:00:00.000Z',
      component: 'RabbitMQ',
      group: 'shop',
      class: 'dlq.any',
      custom_details: { text: wordsOf(told).text, ...told },
    },
  })
})

it('PagerDuty gets a source whatever the alert is about, and no link where there is none', () => {
  const about = (subject: object): object => {
    const { link: _, ...unlinked } = notification({ alerts: [alertFacts({ subject: { source: '', ...subject } })] })
    const { payload, ...event } = JSON.parse(pagerDutyEvent(unlinked, 'key'))
    expect(['client_url' in event, 'links' in event]).toEqual([false, false])
    return { source: payload.source, group: payload.group }
  }
  expect(about({ source: 'shop' })).toEqual({ source: 'shop', group: 'shop' })
  expect(about({})).toEqual({ source: 'redrive-1', group: 'redrive-1' })
  const { payload } = JSON.parse(pagerDutyEvent({ ...told, alerts: [] }, 'key'))
  expect([payload.source, 'group' in payload, 'class' in payload]).toEqual(['redrive-1', false, false])
})

it('PagerDuty gets a summary of at most 1,024 characters', () => {
  const event = JSON.parse(pagerDutyEvent({ ...told, subject: 'x'.repeat(2000) }, 'key'))
  expect(event.payload.summary).toHaveLength(1024)
})
