import { describe, expect, it } from 'vitest'
import { type AlertFacts, alertOf, headlineOf, textOf } from './alert.ts'

const facts: AlertFacts = {
  id: 'a-1',
  status: 'firing',
  rule: 'dlq.any',
  component: 'RabbitMQ',
  channel: 'dlq.orders',
  at: Date.UTC(2030, 0, 2, 3, 4, 5),
  count: 1,
  failure: undefined,
  correlationIds: ['c-1', 'c-2'],
}

describe('an alert', () => {
  it('seed 000 alert: timestamp, severity, component and the sentence, word for word', () => {
    expect(alertOf(facts)).toEqual({
      version: 1,
      id: 'a-1',
      status: 'firing',
      rule: 'dlq.any',
      severity: 'CRITICAL',
      component: 'RabbitMQ',
      channel: 'dlq.orders',
      timestamp: '2030-01-02T03:04:05.000Z',
      message: '1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.',
      count: 1,
      correlationIds: ['c-1', 'c-2'],
    })
  })

  it('reads as a headline and as text', () => {
    const alert = alertOf(facts)
    expect(headlineOf(alert)).toBe('[CRITICAL] Poison message detected in DLQ dlq.orders')
    expect(textOf(alert)).toBe(`Timestamp: 2030-01-02T03:04:05.000Z
Severity: CRITICAL
Status: firing
Component: RabbitMQ
Message: 1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.
Messages in the queue: 1
Correlation IDs: c-1, c-2
Alert: a-1
`)
  })

  it('about a probe that failed knows no count, and never says 0', () => {
    const alert = alertOf({ ...facts, rule: 'probe.failed', count: undefined, failure: 'unreachable', correlationIds: [] })
    expect(alert).not.toHaveProperty('count')
    expect(alert.message).toBe(
      'Dead-Letter Queue dlq.orders cannot be probed (unreachable). Nobody knows how many messages it holds.',
    )
    expect(textOf(alert)).toContain('Messages in the queue: unknown\nCorrelation IDs: unknown\n')
    expect(headlineOf(alert)).toBe('[WARNING] Failed to probe DLQ dlq.orders')
  })

  it('about a probe says what is known of why, and when it works again', () => {
    const probe = { ...facts, rule: 'probe.failed', count: undefined } as const
    const over = alertOf({ ...probe, status: 'resolved' })
    expect(alertOf(probe).message).toContain('cannot be probed (unknown)')
    expect([headlineOf(over), over.message]).toEqual([
      '[RESOLVED] Probing again DLQ dlq.orders',
      'Dead-Letter Queue dlq.orders can be probed again.',
    ])
  })

  it('that is over says so', () => {
    const alert = alertOf({ ...facts, status: 'resolved', count: 0 })
    expect([headlineOf(alert), alert.message]).toEqual([
      '[RESOLVED] No more messages in DLQ dlq.orders',
      'Dead-Letter Queue dlq.orders is empty again.',
    ])
  })

  it('has no line that a name could break out of', () => {
    const alert = alertOf({ ...facts, channel: 'x\r\nBcc: evil@example.com', component: 'a\u2028b\u001b[2J' })
    expect(headlineOf(alert)).not.toMatch(/[\r\n]/)
    expect(textOf(alert).split(/[\r\n\u2028]/)).toHaveLength(9)
  })
})
