import { type AlertFacts, type Notification, type NotificationFacts, notificationOf } from './notification.ts'

const noon = Date.UTC(2030, 0, 2, 12)
const sentence = '1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.'

export function alertFacts(changes: Partial<AlertFacts> = {}): AlertFacts {
  return {
    status: 'firing',
    severity: 'critical',
    rule: 'dlq.any',
    name: 'Letters in a dead-letter queue',
    subject: { source: 'shop', queue: 'dlq.orders' },
    labels: {},
    fingerprint: 'f'.repeat(64),
    episode: 1,
    message: sentence,
    isFlapping: false,
    figures: { count: 3, previousCount: 0, threshold: 0 },
    errors: [{ errorClass: 'TypeError', count: 3, fingerprint: 'c1' }],
    correlationIds: ['order-1'],
    firstAt: noon - 60_000,
    lastAt: noon,
    ...changes,
  }
}

/** A notification about one group, with one alert unless told. */
export function notification(changes: Partial<NotificationFacts> = {}): Notification {
  return notificationOf({
    group: { key: 'shop critical', episode: 1, sequence: 1 },
    reason: 'first',
    at: noon,
    component: 'RabbitMQ',
    subject: 'Poison message detected in DLQ dlq.orders',
    message: sentence,
    alerts: [alertFacts()],
    instance: 'redrive-1',
    dashboard: 'https://redrive.example',
    ...changes,
  })
}

export function resolved(changes: Partial<NotificationFacts> = {}): Notification {
  return notification({
    reason: 'all-resolved',
    group: { key: 'shop critical', episode: 1, sequence: 2 },
    subject: 'No more messages in DLQ dlq.orders',
    message: 'Dead-Letter Queue dlq.orders is empty again.',
    alerts: [alertFacts({ status: 'resolved' })],
    ...changes,
  })
}
