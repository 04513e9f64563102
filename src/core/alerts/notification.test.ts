import { describe, expect, it } from 'vitest'
import { dedupKeyOf } from './identity.ts'
import { alertFacts } from './notification.fixture.ts'
import { type NotificationFacts, notificationOf } from './notification.ts'

const noon = Date.UTC(2030, 0, 2, 12)

function facts(changes: Partial<NotificationFacts> = {}): NotificationFacts {
  return {
    group: { key: 'shop critical', episode: 7, sequence: 1 },
    reason: 'first',
    at: noon,
    component: 'RabbitMQ',
    subject: 'Poison message detected in DLQ dlq.orders',
    message: '1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.',
    alerts: [alertFacts()],
    instance: 'redrive-1',
    ...changes,
  }
}

describe('a notification', () => {
  it('seed 000 notification: timestamp, CRITICAL, component, the sentence and the correlation id', () => {
    const told = notificationOf(facts())
    expect(told).toMatchObject({
      severity: 'CRITICAL',
      status: 'firing',
      timestamp: '2030-01-02T12:00:00.000Z',
      component: 'RabbitMQ',
      subject: 'Poison message detected in DLQ dlq.orders',
      message: '1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.',
    })
    expect(told.alerts[0]?.correlationIds).toEqual(['order-1'])
  })

  it('has an id that is the same for the same news, and another one for the next', () => {
    const first = notificationOf(facts()).id
    expect(notificationOf(facts({ at: noon + 5000 })).id).toBe(first)
    expect(notificationOf(facts({ group: { key: 'shop critical', episode: 7, sequence: 2 } })).id).not.toBe(first)
    expect(notificationOf(facts({ group: { key: 'shop critical', episode: 8, sequence: 1 } })).id).not.toBe(first)
  })

  it('lists twenty alerts, those that fire first, and counts the rest', () => {
    const many = Array.from({ length: 25 }, (_, n) =>
      alertFacts({ status: n < 10 ? 'resolved' : 'firing', severity: n < 10 ? 'critical' : 'warning' }),
    )
    const told = notificationOf(facts({ alerts: many }))
    expect(told.alerts).toHaveLength(20)
    expect(told.more).toBe(5)
    expect(told.alerts.slice(0, 15).every(({ status }) => status === 'firing')).toBe(true)
    expect(told.severity).toBe('WARNING')
  })

  it('has no place for what is not on its list, whatever stands in the facts', () => {
    const hostile = {
      ...alertFacts({
        errors: [{ errorClass: 'TypeError: patient Jane Doe', count: 2, fingerprint: 'c1' }],
        correlationIds: ['Jane Doe'],
      }),
      body: 'Jane Doe',
      headers: { name: 'Jane Doe' },
    }
    const text = JSON.stringify(notificationOf(facts({ alerts: [hostile] })))
    expect(text).not.toContain('Jane Doe')
    expect(text).toContain('"errorClass":"Error"')
  })

  it('links by ids alone, and not at all where nobody knows the address', () => {
    expect(notificationOf(facts()).link).toBeUndefined()
    const told = notificationOf(facts({ dashboard: 'https://redrive.example' }))
    expect(told.alerts[0]?.link).toBe(`https://redrive.example/alerts#${'f'.repeat(64)}`)
  })

  it('holds everything of an alert that is on its list', () => {
    const subject = { source: 'shop', queue: 'dlq.orders', consumerGroup: 'billing', cause: 'c1' }
    const alert = alertFacts({
      subject,
      labels: { owner: 'team-a' },
      runbook: 'https://wiki',
      episode: 4,
      isFlapping: true,
      isKnown: true,
    })
    const [told] = notificationOf(facts({ alerts: [alert], dashboard: 'https://redrive.example' })).alerts
    expect(told).toEqual({
      ...{ status: 'firing', severity: 'CRITICAL', rule: 'dlq.any', name: 'Letters in a dead-letter queue' },
      ...{ ...subject, labels: { owner: 'team-a' }, episode: 4, isFlapping: true, isKnown: true, runbook: 'https://wiki' },
      dedupKey: dedupKeyOf('f'.repeat(64)),
      message: alert.message,
      figures: { count: 3, previousCount: 0, threshold: 0 },
      topErrors: [{ errorClass: 'TypeError', count: 3, fingerprint: 'c1' }],
      correlationIds: ['order-1'],
      firstSeen: '2030-01-02T11:59:00.000Z',
      lastSeen: '2030-01-02T12:00:00.000Z',
      link: `https://redrive.example/alerts#${'f'.repeat(64)}`,
      silenceLink: `https://redrive.example/alerts/silences?match=fingerprint%3D${'f'.repeat(64)}`,
    })
  })

  it('holds nothing that is not there', () => {
    const [told] = notificationOf(facts({ alerts: [alertFacts({ subject: { source: 'shop' } })] })).alerts
    const absent = ['queue', 'consumerGroup', 'cause', 'link', 'silenceLink', 'runbook']
    expect(absent.filter((name) => name in (told ?? {}))).toEqual([])
    expect('link' in notificationOf(facts())).toBe(false)
  })

  it('is known by its group, and holds what was said of it', () => {
    const told = notificationOf(facts({ dashboard: 'https://redrive.example', reason: 'repeat' }))
    const dedupKey = dedupKeyOf('shop critical')
    expect(told).toMatchObject({
      version: 1,
      reason: 'repeat',
      group: { dedupKey, episode: 7, sequence: 1 },
      instance: 'redrive-1',
    })
    expect(told.id).toBe(`${dedupKey.slice('redrive:'.length)}.7-1`)
    expect([told.link, told.more]).toEqual(['https://redrive.example/alerts', 0])
  })

  it('is over when nobody fires, with the severity of all of them', () => {
    const over = (severity: 'info' | 'warning') => alertFacts({ status: 'resolved', severity })
    expect(notificationOf(facts({ alerts: [over('info'), over('warning')] }))).toMatchObject({
      status: 'resolved',
      severity: 'WARNING',
    })
    expect(notificationOf(facts({ alerts: [over('info')], goesOn: true })).status).toBe('firing')
  })

  it('shows three errors and the last five ids', () => {
    const errors = ['A', 'B', 'C', 'D'].map((errorClass) => ({ errorClass, count: 1, fingerprint: 'c' }))
    const correlationIds = Array.from({ length: 7 }, (_, n) => `id-${n}`)
    const [told] = notificationOf(facts({ alerts: [alertFacts({ errors, correlationIds })] })).alerts
    expect(told?.topErrors.map(({ errorClass }) => errorClass)).toEqual(['A', 'B', 'C'])
    expect(told?.correlationIds).toEqual(['id-2', 'id-3', 'id-4', 'id-5', 'id-6'])
  })

  it('cuts what is too long, and writes out what cannot be seen', () => {
    const long = 'x'.repeat(600)
    const told = notificationOf(facts({ message: long, subject: 'a\nb', component: 'a\nb', instance: 'a\nb' }))
    expect(told.message.length).toBeLessThanOrEqual(500)
    expect([told.subject, told.component, told.instance]).toEqual(['a\\nb', 'a\\nb', 'a\\nb'])
    const subject = { source: long, queue: long, consumerGroup: long, cause: long }
    const alert = alertFacts({
      subject,
      labels: { owner: long },
      message: long,
      errors: [{ errorClass: 'A', count: 1, fingerprint: long }],
    })
    const [shown] = notificationOf(facts({ alerts: [alert] })).alerts
    const texts = [shown?.source, shown?.queue, shown?.consumerGroup, shown?.cause, shown?.labels['owner'], shown?.message]
    expect([...texts, shown?.topErrors[0]?.fingerprint].every((text) => text !== undefined && text.length <= 500)).toBe(true)
  })

  it.each([
    [-5, '1970-01-01T00:00:00.000Z'],
    [9e15, '+275760-09-13T00:00:00.000Z'],
  ])('has a time whatever the clock says: %d', (at, timestamp) => {
    expect(notificationOf(facts({ at })).timestamp).toBe(timestamp)
  })
})
