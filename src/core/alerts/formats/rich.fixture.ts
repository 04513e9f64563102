import { alertFacts, notification } from '../notification.fixture.ts'
import type { Notification, NotificationFacts } from '../notification.ts'

/** A notification in which every field is given: one alert that fires, one that is over, and one that is not listed. */
export function rich(changes: Partial<NotificationFacts> = {}): Notification {
  const firing = alertFacts({
    subject: { source: 'shop', queue: 'dlq.orders', consumerGroup: 'billing', cause: 'v1:c1' },
    labels: { 'cost-centre': 'a' },
    severity: 'warning',
    isFlapping: true,
    runbook: 'https://wiki.example/dlq',
    correlationIds: ['order-1', 'order-2'],
    errors: [
      { errorClass: 'TypeError', count: 3, fingerprint: 'c1' },
      { errorClass: 'RangeError', count: 1, fingerprint: 'c2' },
    ],
    figures: {
      ...{
        count: 3,
        previousCount: 1,
        threshold: 0.12345,
        ratio: 0.0567,
        window: 600_000,
        oldestAge: 90_400,
        growthPerMinute: 1.23456,
      },
      failure: 'unreachable',
    },
  })
  const over = alertFacts({
    ...{ status: 'resolved', subject: { source: '' }, errors: [], correlationIds: [], figures: {}, message: 'It is over.' },
  })
  return { ...notification({ alerts: [firing, over], ...changes }), more: 1 }
}
