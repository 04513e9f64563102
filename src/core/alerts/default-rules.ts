import type { Condition } from './condition.ts'
import type { Rule, RuleType } from './rule.ts'
import type { Severity } from './severity.ts'

const second = 1000
/** A share from 0 to 1. Below it nothing is taken in any more. */
export const leastDiskFree = 0.05

const minute = 60 * second
const hour = 60 * minute

type Own = Partial<Pick<Rule, 'for' | 'keepFiringFor'>>

function rule(id: string, type: RuleType, severity: Severity, condition: Condition, own: Own = {}): Rule {
  return {
    id,
    type,
    severity,
    condition,
    scope: {},
    for: 0,
    keepFiringFor: 0,
    noData: 'unknown',
    labels: {},
    correlationIds: true,
    ...own,
  }
}

const failing = (limit: number, windows: readonly number[]): Condition => ({
  kind: 'ratio',
  of: 'deadLetteredTotal',
  to: 'handledTotal',
  limit,
  windows,
  minSamples: 100,
})

/** What is watched when nobody says anything. Where a seed sets a value, it is the seed's. */
export const defaultRules: readonly Rule[] = [
  // Seed 000: a message count above 0, at once.
  rule('dlq.any', 'dlq.any', 'critical', { kind: 'level', of: 'letters', is: 'above', limit: 0 }, { keepFiringFor: 5 * minute }),
  // Seed 001: more than 100 are a warning, more than 1,000 critical.
  rule(
    'dlq.count',
    'dlq.count',
    'warning',
    { kind: 'level', of: 'letters', is: 'above', limit: 100, clear: 80 },
    { for: minute },
  ),
  rule(
    'dlq.count.critical',
    'dlq.count',
    'critical',
    { kind: 'level', of: 'letters', is: 'above', limit: 1000, clear: 800 },
    { for: minute },
  ),
  rule(
    'dlq.growth',
    'dlq.growth',
    'warning',
    { kind: 'growth', window: 10 * minute, limit: 50, timesUsual: 3, usualOver: 24 * hour, floor: 10 },
    { for: 10 * minute },
  ),
  // Seed 003: more than 1 % of the throughput is a warning, more than 5 % critical.
  rule('fail.ratio', 'fail.ratio', 'warning', failing(0.01, [hour, 5 * minute]), { keepFiringFor: 5 * minute }),
  rule('fail.ratio.critical', 'fail.ratio', 'critical', failing(0.05, [15 * minute, 5 * minute]), { keepFiringFor: 5 * minute }),
  // Seed 001: more than 10 % of processed messages.
  rule('fail.ratio.acute', 'fail.ratio', 'critical', failing(0.1, [5 * minute]), { keepFiringFor: 5 * minute }),
  rule(
    'retry.ratio',
    'retry.ratio',
    'warning',
    { kind: 'ratio', of: 'retriedTotal', to: 'handledTotal', limit: 0.1, windows: [15 * minute], minSamples: 100 },
    { keepFiringFor: 5 * minute },
  ),
  // Seed 003: a spike of a single error type.
  rule(
    'error.spike',
    'error.spike',
    'warning',
    { kind: 'spike', window: 5 * minute, newAtLeast: 5, timesUsual: 5, floor: 20 },
    { keepFiringFor: 5 * minute },
  ),
  // Seed 003: any failure to publish a letter.
  rule(
    'dlq.publish.failed',
    'dlq.publish.failed',
    'critical',
    { kind: 'increase', of: 'publishFailedTotal', limit: 0, window: minute },
    { keepFiringFor: 5 * minute },
  ),
  rule(
    'dlq.oldest.age',
    'dlq.oldest.age',
    'warning',
    { kind: 'level', of: 'oldestAge', is: 'above', limit: 24 * hour },
    { for: 5 * minute },
  ),
  rule(
    'dlq.oldest.age.critical',
    'dlq.oldest.age',
    'critical',
    { kind: 'level', of: 'oldestAge', is: 'above', limit: 72 * hour },
    { for: 5 * minute },
  ),
  rule(
    'dlq.retention',
    'dlq.oldest.age',
    'warning',
    { kind: 'level', of: 'retentionUsed', is: 'above', limit: 0.7 },
    { for: 5 * minute },
  ),
  rule(
    'dlq.retention.critical',
    'dlq.oldest.age',
    'critical',
    { kind: 'level', of: 'retentionUsed', is: 'above', limit: 0.9 },
    { for: 5 * minute },
  ),
  rule('source.lag', 'source.lag', 'warning', { kind: 'level', of: 'lag', is: 'above', limit: 10_000 }, { for: minute }),
  rule('source.lag.stuck', 'source.lag', 'warning', { kind: 'not-shrinking', of: 'lag', window: 15 * minute }),
  rule('consumer.none', 'consumer.none', 'critical', { kind: 'no-consumer' }, { for: 5 * minute }),
  rule(
    'consumer.vanished',
    'consumer.vanished',
    'warning',
    { kind: 'level', of: 'vanishedConsumers', is: 'above', limit: 0 },
    { for: minute },
  ),
  // Seed 000: a failed probe triggers an alert as well.
  rule('probe.failed', 'probe.failed', 'warning', { kind: 'failing-probe', inARow: 3 }),
  rule('probe.failed.critical', 'probe.failed', 'critical', { kind: 'failing-probe', inARow: 3 }, { for: 10 * minute }),
  rule('broker.down', 'broker.down', 'critical', { kind: 'broker-down', inARow: 3 }),
  rule('cause.new', 'cause.new', 'warning', { kind: 'level', of: 'causeIsNew', is: 'above', limit: 0 }),
  rule('cause.regressed', 'cause.regressed', 'critical', { kind: 'level', of: 'causeRegressed', is: 'above', limit: 0 }),
  rule('conservation.broken', 'conservation.broken', 'critical', { kind: 'level', of: 'difference', is: 'above', limit: 0 }),
  rule('time.to.loss', 'time.to.loss', 'critical', { kind: 'level', of: 'untilLoss', is: 'below', limit: hour }),
  rule('spool.not.empty', 'spool.not.empty', 'warning', { kind: 'level', of: 'spooled', is: 'above', limit: 0 }, { for: minute }),
  // Nobody sends them any more, and a disk that nobody looks after may be thrown away.
  rule('spool.abandoned', 'spool.not.empty', 'critical', { kind: 'level', of: 'abandonedSpool', is: 'above', limit: 0 }),
  rule('breaker.open', 'breaker.open', 'warning', { kind: 'level', of: 'breakerOpen', is: 'above', limit: 0 }),
  rule('probe.unsafe', 'probe.unsafe', 'info', { kind: 'level', of: 'unsafeSettings', is: 'above', limit: 0 }),
  rule('store.disk', 'store.disk', 'warning', { kind: 'level', of: 'diskFree', is: 'below', limit: 0.2 }, { for: 2 * minute }),
  rule(
    'store.disk.critical',
    'store.disk',
    'critical',
    { kind: 'level', of: 'diskFree', is: 'below', limit: leastDiskFree },
    { for: 2 * minute },
  ),
  rule('replay.stuck', 'replay.stuck', 'warning', { kind: 'level', of: 'replayStuckFor', is: 'above', limit: 5 * minute }),
  rule('replay.loop', 'replay.loop', 'warning', { kind: 'level', of: 'replayReturned', is: 'above', limit: 0.5 }),
  rule('replay.missed', 'replay.missed', 'warning', { kind: 'level', of: 'replayMissed', is: 'above', limit: 0 }),
  rule('sink.failing', 'sink.failing', 'critical', { kind: 'level', of: 'sinkFailingFor', is: 'above', limit: 10 * minute }),
]

/** Not among the defaults: it is for those who have somebody that waits for it. */
export const watchdog: Rule = rule('watchdog', 'watchdog', 'info', { kind: 'always' })
