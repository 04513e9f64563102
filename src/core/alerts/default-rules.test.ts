import { expect, it } from 'vitest'
import { parseDuration } from '../duration.ts'
import type { Condition } from './condition.ts'
import { defaultRules, watchdog } from './default-rules.ts'
import { type RuleType, ruleTypes } from './rule.ts'
import type { Measurement } from './sample.ts'
import type { Severity } from './severity.ts'

/** A threshold, written as docs/alerts.md and the customer's documents write it. */
const above = (of: Measurement, limit: number): Condition => ({ kind: 'level', of, is: 'above', limit })
const below = (of: Measurement, limit: number): Condition => ({ kind: 'level', of, is: 'below', limit })
const percent = (value: number): number => value / 100
const span = (text: string): number => parseDuration(text, 'duration')

/** So many of a hundred messages or more that were handled, in each of these windows. */
function share(of: 'deadLetteredTotal' | 'retriedTotal', limit: number, ...windows: string[]): Condition {
  return { kind: 'ratio', of, to: 'handledTotal', limit, windows: windows.map(span), minSamples: 100 }
}

interface Agreed {
  readonly id: string
  readonly type?: RuleType
  readonly severity: Severity
  readonly when: Condition
  /** At once where absent. */
  readonly for?: string
  readonly keep?: string
}

/** What was agreed on, rule by rule, in the order of the list of rule types; not what the code happens to have. */
const agreed: readonly Agreed[] = [
  // Seed 000: more than 0 messages, CRITICAL at once; clear when there was none for 5 minutes.
  { id: 'dlq.any', severity: 'critical', when: above('letters', 0), keep: '5m' },
  // Seed 001: more than 100 and more than 1,000, for a minute; clear below 80 % of that.
  { id: 'dlq.count', severity: 'warning', when: { ...above('letters', 100), clear: 0.8 * 100 } as Condition, for: '1m' },
  {
    ...{ id: 'dlq.count.critical', type: 'dlq.count', severity: 'critical', for: '1m' },
    when: { ...above('letters', 1000), clear: 0.8 * 1000 } as Condition,
  },
  // A net inflow above 50 in 10 minutes, or above three times the median of the last 24 hours but at least 10; for 10 minutes.
  {
    ...{ id: 'dlq.growth', severity: 'warning', for: '10m' },
    when: { kind: 'growth', window: span('10m'), limit: 50, timesUsual: 3, usualOver: span('24h'), floor: 10 },
  },
  // Seed 003: above 1 % in an hour and in 5 minutes, above 5 % in 15 and in 5. Seed 001: above 10 % in 5 minutes.
  { id: 'fail.ratio', severity: 'warning', when: share('deadLetteredTotal', percent(1), '1h', '5m'), keep: '5m' },
  {
    ...{ id: 'fail.ratio.critical', type: 'fail.ratio', severity: 'critical', keep: '5m' },
    when: share('deadLetteredTotal', percent(5), '15m', '5m'),
  },
  {
    ...{ id: 'fail.ratio.acute', type: 'fail.ratio', severity: 'critical', keep: '5m' },
    when: share('deadLetteredTotal', percent(10), '5m'),
  },
  { id: 'retry.ratio', severity: 'warning', when: share('retriedTotal', percent(10), '15m'), keep: '5m' },
  // Seed 003: five of a new error in 5 minutes, or five times as many as usual but at least 20.
  {
    ...{ id: 'error.spike', severity: 'warning', keep: '5m' },
    when: { kind: 'spike', window: span('5m'), newAtLeast: 5, timesUsual: 5, floor: 20 },
  },
  // Seed 003: any failure to publish a letter, in a minute; kept for 5.
  {
    ...{ id: 'dlq.publish.failed', severity: 'critical', keep: '5m' },
    when: { kind: 'increase', of: 'publishFailedTotal', limit: 0, window: span('1m') },
  },
  { id: 'dlq.oldest.age', severity: 'warning', when: above('oldestAge', span('24h')), for: '5m' },
  {
    id: 'dlq.oldest.age.critical',
    type: 'dlq.oldest.age',
    severity: 'critical',
    when: above('oldestAge', span('72h')),
    for: '5m',
  },
  { id: 'dlq.retention', type: 'dlq.oldest.age', severity: 'warning', when: above('retentionUsed', percent(70)), for: '5m' },
  {
    ...{ id: 'dlq.retention.critical', type: 'dlq.oldest.age', severity: 'critical', for: '5m' },
    when: above('retentionUsed', percent(90)),
  },
  { id: 'source.lag', severity: 'warning', when: above('lag', 10_000), for: '1m' },
  {
    id: 'source.lag.stuck',
    type: 'source.lag',
    severity: 'warning',
    when: { kind: 'not-shrinking', of: 'lag', window: span('15m') },
  },
  { id: 'consumer.none', severity: 'critical', when: { kind: 'no-consumer' }, for: '5m' },
  { id: 'consumer.vanished', severity: 'warning', when: above('vanishedConsumers', 0), for: '1m' },
  // Three looks in a row that fail; after 10 minutes it is critical.
  { id: 'probe.failed', severity: 'warning', when: { kind: 'failing-probe', inARow: 3 } },
  {
    id: 'probe.failed.critical',
    type: 'probe.failed',
    severity: 'critical',
    when: { kind: 'failing-probe', inARow: 3 },
    for: '10m',
  },
  { id: 'broker.down', severity: 'critical', when: { kind: 'broker-down', inARow: 3 } },
  { id: 'cause.new', severity: 'warning', when: above('causeIsNew', 0) },
  { id: 'cause.regressed', severity: 'critical', when: above('causeRegressed', 0) },
  { id: 'conservation.broken', severity: 'critical', when: above('difference', 0) },
  { id: 'time.to.loss', severity: 'critical', when: below('untilLoss', span('1h')) },
  { id: 'spool.not.empty', severity: 'warning', when: above('spooled', 0), for: '1m' },
  { id: 'spool.abandoned', type: 'spool.not.empty', severity: 'critical', when: above('abandonedSpool', 0) },
  { id: 'breaker.open', severity: 'warning', when: above('breakerOpen', 0) },
  { id: 'probe.unsafe', severity: 'info', when: above('unsafeSettings', 0) },
  { id: 'store.disk', severity: 'warning', when: below('diskFree', percent(20)), for: '2m' },
  { id: 'store.disk.critical', type: 'store.disk', severity: 'critical', when: below('diskFree', percent(5)), for: '2m' },
  { id: 'replay.stuck', severity: 'warning', when: above('replayStuckFor', span('5m')) },
  { id: 'replay.loop', severity: 'warning', when: above('replayReturned', percent(50)) },
  { id: 'replay.missed', severity: 'warning', when: above('replayMissed', 0) },
  { id: 'sink.failing', severity: 'critical', when: above('sinkFailingFor', span('10m')) },
  { id: 'watchdog', severity: 'info', when: { kind: 'always' } },
]

it.each(agreed)(
  '$id is $severity, and as it was agreed',
  ({ id, type = id, severity, when, for: lasting = '0s', keep = '0s' }) => {
    expect([...defaultRules, watchdog].find((each) => each.id === id)).toEqual({
      ...{ id, type, severity, condition: when, scope: {}, noData: 'unknown', labels: {}, correlationIds: true },
      ...{ for: span(lasting), keepFiringFor: span(keep) },
    })
  },
)

it('there is no rule beside these, and the watchdog is none of the defaults', () => {
  expect([...defaultRules, watchdog].map(({ id }) => id).toSorted()).toEqual(agreed.map(({ id }) => id).toSorted())
  expect(defaultRules).not.toContain(watchdog)
})

it('every type has a default rule', () => {
  expect(new Set(agreed.map(({ id, type = id }) => type))).toEqual(new Set(ruleTypes))
})
