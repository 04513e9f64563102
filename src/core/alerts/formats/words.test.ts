import { describe, expect, it } from 'vitest'
import { notification, resolved } from '../notification.fixture.ts'
import { rich } from './rich.fixture.ts'
import { parseTemplate } from './template.ts'
import { alertLines, wordsOf } from './words.ts'

const link = `https://redrive.example/alerts#${'f'.repeat(64)}`

describe('what a person reads', () => {
  it('of an alert in which everything is given', () => {
    const [alert] = rich().alerts
    expect(alert && alertLines(alert)).toEqual([
      '[WARNING, flapping] Letters in a dead-letter queue (dlq.any)',
      '1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.',
      'Source: shop',
      'Queue: dlq.orders',
      'Consumer group: billing',
      'Cause: v1:c1',
      'Count: 3, 1 before',
      'Threshold: 0.123',
      'Share: 5.7 %',
      'Window: 10m',
      'Oldest: 1m30s',
      'Growth per minute: 1.235',
      'Failure: unreachable',
      'Top errors: TypeError × 3, RangeError × 1',
      'Correlation IDs: order-1, order-2',
      'First seen: 2030-01-02T11:59:00.000Z',
      'Last seen: 2030-01-02T12:00:00.000Z',
      `Look at it: ${link}`,
      'What to do: https://wiki.example/dlq',
      `Silence it: https://redrive.example/alerts/silences?match=fingerprint%3D${'f'.repeat(64)}`,
    ])
  })

  it('of an alert that is over, and of which hardly anything is given', () => {
    const [, over] = rich().alerts
    expect(over && alertLines(over)).toEqual([
      '[RESOLVED] Letters in a dead-letter queue (dlq.any)',
      'It is over.',
      'First seen: 2030-01-02T11:59:00.000Z',
      'Last seen: 2030-01-02T12:00:00.000Z',
      `Look at it: ${link}`,
      `Silence it: https://redrive.example/alerts/silences?match=fingerprint%3D${'f'.repeat(64)}`,
    ])
  })

  it('of a count that was never another one, and of a span below a second', () => {
    const [alert] = rich().alerts
    const lines = alert ? alertLines({ ...alert, isFlapping: false, figures: { count: 0, window: 1 } }) : []
    expect(lines).toContain('Count: 0')
    expect(lines).toContain('Window: 1s')
    expect(lines[0]).toBe('[WARNING] Letters in a dead-letter queue (dlq.any)')
  })

  it('of all of it', () => {
    const told = rich()
    const [first, second] = told.alerts.map((alert) => alertLines(alert).join('\n'))
    expect(wordsOf(told)).toEqual({
      title: '[WARNING] Poison message detected in DLQ dlq.orders',
      text: [
        'Timestamp: 2030-01-02T12:00:00.000Z',
        'Severity: WARNING',
        'Status: firing',
        'Component: RabbitMQ',
        'Message: 1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.',
        `\n${first}`,
        `\n${second}`,
        '\n… and 1 more',
        '',
        'All alerts: https://redrive.example/alerts',
        'Instance: redrive-1',
        `Delivery: ${told.id}`,
      ].join('\n'),
    })
  })

  it('without a link, and without more than is listed', () => {
    const { link: _, ...told } = notification()
    expect(wordsOf(told).text).not.toMatch(/All alerts|… and/)
  })

  it('says in its first line what it is', () => {
    const titles = [notification(), resolved(), notification({ reason: 'test' })].map((told) => wordsOf(told).title)
    expect(titles).toEqual([
      '[CRITICAL] Poison message detected in DLQ dlq.orders',
      '[RESOLVED] No more messages in DLQ dlq.orders',
      '[TEST] Poison message detected in DLQ dlq.orders',
    ])
  })

  it("is the user's own where there is one", () => {
    const own = { title: parseTemplate('{{rule}}', 'title'), text: parseTemplate('{{queue}}', 'text') }
    expect(wordsOf(notification(), own)).toEqual({ title: 'dlq.any', text: 'dlq.orders' })
  })
})
