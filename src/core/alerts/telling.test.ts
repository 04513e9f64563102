import { describe, expect, it } from 'vitest'
import type { Group } from './grouping.ts'
import { raisedAlert } from './raised-alert.fixture.ts'
import type { RaisedAlert } from './raised-alert.ts'
import { type Teller, tell } from './telling.ts'

const noon = Date.UTC(2030, 0, 2, 12)
const group: Group = { key: 'g', episode: 5, sequence: 2, members: [], nextFlush: 0, silenced: [] }
const teller: Teller = {
  instance: 'redrive-1',
  componentOf: (source) => `broker of ${source}`,
  ruleNamed: () => ({ runbook: 'https://wiki', correlationIds: true }),
}
const over = { phase: 'ok', since: 0, episode: 3 } as const

function told(alerts: readonly RaisedAlert[], changes: Partial<Teller> = {}, own: Partial<Group> = {}) {
  return tell({ ...group, ...own }, 'first', { alerts }, { now: 0, wallNow: noon }, { ...teller, ...changes })
}

describe('what is told of a group', () => {
  it('is one alert with everything that may leave', () => {
    const alert = raisedAlert({ figures: { count: 3 }, correlationIds: ['order-1'], firedAt: noon - 1000, seenAt: noon - 500 })
    const notification = told([alert], { dashboard: 'https://redrive.example' })
    expect(notification).toMatchObject({
      ...{ reason: 'first', status: 'firing', severity: 'CRITICAL', component: 'broker of shop', instance: 'redrive-1' },
      subject: 'Poison message detected in DLQ dlq.orders',
      message: '1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.',
      group: { episode: 5, sequence: 2 },
      timestamp: '2030-01-02T12:00:00.000Z',
      link: 'https://redrive.example/alerts',
    })
    expect(notification.alerts).toEqual([
      expect.objectContaining({
        ...{ status: 'firing', rule: 'dlq.any', name: 'Letters in a dead-letter queue', episode: 1, runbook: 'https://wiki' },
        ...{ figures: { count: 3 }, correlationIds: ['order-1'], isFlapping: false },
        ...{ firstSeen: '2030-01-02T11:59:59.000Z', lastSeen: '2030-01-02T11:59:59.500Z' },
      }),
    ])
  })

  it('has no link, no runbook and no ids where there are none, or where its rule is gone', () => {
    const alert = raisedAlert({ correlationIds: ['order-1'] })
    const bare = told([alert], { ruleNamed: () => undefined })
    expect([bare.link, bare.alerts[0]?.runbook, bare.alerts[0]?.correlationIds]).toEqual([undefined, undefined, []])
    expect('runbook' in (bare.alerts[0] ?? {})).toBe(false)
    expect(told([alert], { ruleNamed: () => ({ correlationIds: false }) }).alerts[0]?.correlationIds).toEqual([])
  })

  it('is about the control plane where nothing else is named', () => {
    expect(told([raisedAlert({ type: 'store.disk', subject: { source: '' } })]).component).toBe('Redrive')
  })

  it('has the most urgent one for its headline, and counts the others', () => {
    const at = (queue: string, changes: Partial<RaisedAlert>): RaisedAlert =>
      raisedAlert({ subject: { source: 'shop', queue }, ...changes })
    const alerts = [
      at('over', { state: over }),
      at('later', { severity: 'critical', firedAt: 2 }),
      at('mild', { severity: 'warning', firedAt: 0 }),
      at('sooner', { severity: 'critical', firedAt: 1 }),
    ]
    const notification = told(alerts)
    expect(notification.alerts.map(({ queue }) => queue)).toEqual(['sooner', 'later', 'mild', 'over'])
    expect(notification.subject).toBe('Poison message detected in DLQ sooner and 3 more')
    expect(told(alerts.slice(0, 1)).subject).toBe('No more messages in DLQ over')
  })

  it('is over when nobody of it is believed to fire', () => {
    const ended = raisedAlert({ state: over })
    expect(told([ended])).toMatchObject({ status: 'resolved', message: 'Dead-Letter Queue dlq.orders is empty again.' })
    expect(told([ended], {}, { told: { at: 0, firing: [] } }).status).toBe('resolved')
    expect(told([ended], {}, { told: { at: 0, firing: ['another one'] } }).status).toBe('firing')
  })

  it('fires while it flaps', () => {
    const flapping = raisedAlert({ state: over, flaps: { ...raisedAlert().flaps, isFlapping: true } })
    expect(told([flapping]).alerts[0]).toMatchObject({ status: 'firing', isFlapping: true, episode: 3 })
  })

  it('is never nothing', () => {
    expect(() => told([])).toThrow('A notification about nothing.')
  })
})
