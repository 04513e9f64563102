import { describe, expect, it } from 'vitest'
import { inhibitorsAmong } from './inhibition.ts'
import { raisedAlert } from './raised-alert.fixture.ts'
import type { RaisedAlert } from './raised-alert.ts'
import { type RuleType, ruleTypes } from './rule.ts'
import type { Severity } from './severity.ts'

const orders = { source: 'shop', queue: 'dlq.orders' }
const invoices = { source: 'shop', queue: 'dlq.invoices' }

function alert(type: RuleType, severity: Severity = 'warning', changes: Partial<RaisedAlert> = {}): RaisedAlert {
  return raisedAlert({ rule: `${type}.${severity}`, type, severity, subject: orders, ...changes })
}

/** The types that an alert keeps quiet when both are about the same, of this severity. */
function mutedBy(muter: RaisedAlert, severity: Severity, subject: RaisedAlert['subject'] = orders): readonly RuleType[] {
  const inhibitors = inhibitorsAmong([muter])
  return ruleTypes.filter((type) => inhibitors.of(alert(type, severity, { rule: 'other', subject })) !== undefined)
}

const critical = 'critical'

describe('who speaks for whom', () => {
  it('a broker that is down for everything on it, but not for letters that cannot be written, and not for itself', () => {
    const down = alert('broker.down', critical, { subject: { source: 'shop' } })
    const all = ruleTypes.filter((type) => type !== 'broker.down' && type !== 'dlq.publish.failed')
    expect(mutedBy(down, critical)).toEqual(all)
    expect(mutedBy(down, critical, { source: 'bank', queue: 'dlq.orders' })).toEqual([])
    expect(inhibitorsAmong([down]).of(down)).toBeUndefined()
  })

  it('a probe that fails for what is counted in its queue', () => {
    const failed = alert('probe.failed')
    expect(mutedBy(failed, 'warning')).toEqual(['dlq.count', 'dlq.growth', 'source.lag'])
    expect(mutedBy(failed, critical)).toEqual(['dlq.count', 'dlq.growth', 'source.lag'])
    expect(mutedBy(failed, 'warning', invoices)).toEqual([])
    expect(mutedBy(failed, 'warning', { ...orders, consumerGroup: 'stock' })).toEqual([])
    expect(mutedBy(failed, 'warning', { source: 'bank', queue: 'dlq.orders' })).toEqual([])
  })

  it('letters that can be counted and not be read for nothing', () => {
    expect(mutedBy(alert('probe.failed', 'warning', { figures: { unread: 'refused' } }), critical)).toEqual([])
  })

  it('very many letters for any letter, in the same queue', () => {
    expect(mutedBy(alert('dlq.count', critical), critical)).toEqual(['dlq.any'])
    expect(mutedBy(alert('dlq.count', critical), critical, invoices)).toEqual([])
    expect(mutedBy(alert('dlq.count', 'warning'), critical)).toEqual([])
  })

  it('the worse of two thresholds of one thing for the other', () => {
    expect(mutedBy(alert('dlq.oldest.age', critical), 'warning')).toEqual(['dlq.oldest.age'])
    expect(mutedBy(alert('dlq.oldest.age', critical), 'info')).toEqual(['dlq.oldest.age'])
    expect(mutedBy(alert('dlq.oldest.age', critical), critical)).toEqual([])
    expect(mutedBy(alert('dlq.oldest.age', 'warning'), 'info')).toEqual([])
    expect(mutedBy(alert('dlq.oldest.age', critical), 'warning', invoices)).toEqual([])
  })

  it('a disk that is full for what comes of letters that cannot be kept, wherever', () => {
    const disk = alert('store.disk', critical, { subject: { source: '' } })
    expect(mutedBy(disk, critical, invoices)).toEqual(['error.spike', 'cause.new', 'cause.regressed', 'replay.stuck'])
    expect(mutedBy(alert('store.disk', 'warning', { subject: { source: '' } }), critical)).toEqual([])
  })

  it('none of them when it is over, and all of them while they recover or flap', () => {
    const down = (phase: RaisedAlert['state']['phase'], isFlapping = false): RaisedAlert =>
      alert('broker.down', critical, {
        subject: { source: 'shop' },
        state: { phase, since: 0, episode: 1 },
        flaps: { checks: '', checkedAt: 0, changedAt: 0, isFlapping },
      })
    const speaks = (muter: RaisedAlert): boolean => mutedBy(muter, critical).length > 0
    expect([down('ok'), down('pending'), down('firing'), down('recovering'), down('ok', true)].map(speaks)).toEqual([
      ...[false, false, true, true, true],
    ])
  })

  it('is told by its fingerprint', () => {
    const down = alert('broker.down', critical, { subject: { source: 'shop' } })
    expect(inhibitorsAmong([alert('dlq.any'), down]).of(alert('dlq.any'))).toBe(down.fingerprint)
  })
})
