import { glob } from '../glob.ts'
import type { Condition } from './condition.ts'
import type { Labels, Subject } from './identity.ts'
import type { Severity } from './severity.ts'

export const ruleTypes = [
  'dlq.any',
  'dlq.count',
  'dlq.growth',
  'dlq.oldest.age',
  'dlq.publish.failed',
  'fail.ratio',
  'retry.ratio',
  'error.spike',
  'source.lag',
  'consumer.none',
  'consumer.vanished',
  'probe.failed',
  'broker.down',
  'probe.unsafe',
  'cause.new',
  'cause.regressed',
  'conservation.broken',
  'time.to.loss',
  'spool.not.empty',
  'breaker.open',
  'store.disk',
  'replay.stuck',
  'replay.loop',
  'replay.missed',
  'sink.failing',
  'watchdog',
] as const

export type RuleType = (typeof ruleTypes)[number]

/** Names with `*` for any characters; absent for all. */
export interface Scope {
  readonly source?: string
  readonly queue?: string
  readonly consumerGroup?: string
}

export function inScope({ source = '*', queue = '*', consumerGroup = '*' }: Scope): (subject: Subject) => boolean {
  const tests = [glob(source), glob(queue), glob(consumerGroup)] as const
  return (subject) => tests[0](subject.source) && tests[1](subject.queue ?? '') && tests[2](subject.consumerGroup ?? '')
}

/** When to alert, how urgently, and about what. One rule has one severity: a second threshold is a second rule. Durations are milliseconds. */
export interface Rule {
  /** Unique; part of the identity of its alerts. */
  readonly id: string
  readonly type: RuleType
  readonly severity: Severity
  readonly scope: Scope
  readonly condition: Condition
  /** How long the condition must hold before the alert fires. */
  readonly for: number
  /** How long it must have been clear before the alert is resolved. */
  readonly keepFiringFor: number
  /**
   * What a look that failed means: nothing (the state is frozen until somebody can look again), that the condition holds, or that it does not.
   */
  readonly noData: 'unknown' | 'fire' | 'ok'
  readonly labels: Labels
  /** Where the person who is called finds what to do. */
  readonly runbook?: string
  /** Whether its alerts show correlation ids. */
  readonly correlationIds: boolean
}
