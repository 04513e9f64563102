import { visible } from '../../visible.ts'
import type { RuleName } from './alert-rule.ts'

/**
 * What an administrator is told. Every field is one of this list, and none can hold a payload, a header or the text of an error:
 * dead letters may hold what must not be in a mailbox.
 */
export interface Alert {
  readonly version: 1
  /** The same when it is raised and when it is resolved; a channel that is filled again gets another one. */
  readonly id: string
  readonly status: 'firing' | 'resolved'
  readonly rule: RuleName
  readonly severity: 'CRITICAL' | 'WARNING'
  readonly component: string
  /** The dead-letter channel. */
  readonly channel: string
  /** ISO 8601, UTC. */
  readonly timestamp: string
  readonly message: string
  /** Letters in the channel; absent when nobody knows. */
  readonly count?: number
  /** Of some of the letters, where they are known: the way into the logs. */
  readonly correlationIds: readonly string[]
}

export interface AlertFacts extends Pick<Alert, 'id' | 'status' | 'rule' | 'component' | 'channel' | 'correlationIds'> {
  /** Epoch milliseconds. */
  readonly at: number
  readonly count: number | undefined
  /** The code of the error that a probe failed with. */
  readonly failure: string | undefined
}

export function alertOf({ at, count, failure, ...facts }: AlertFacts): Alert {
  const channel = visible(facts.channel)
  return {
    version: 1,
    id: facts.id,
    status: facts.status,
    rule: facts.rule,
    severity: facts.rule === 'dlq.any' ? 'CRITICAL' : 'WARNING',
    component: visible(facts.component),
    channel,
    timestamp: new Date(at).toISOString(),
    message: sentences[facts.rule][facts.status](channel, failure),
    ...(count !== undefined && { count }),
    correlationIds: facts.correlationIds,
  }
}

type Sentence = (channel: string, failure: string | undefined) => string

/** The first one is seed 000's, word for word: operators have rules that look for it. */
const sentences: Readonly<Record<RuleName, Readonly<Record<Alert['status'], Sentence>>>> = {
  'dlq.any': {
    firing: (channel) => `1 or more messages found in Dead-Letter Queue ${channel}. Manual intervention required.`,
    resolved: (channel) => `Dead-Letter Queue ${channel} is empty again.`,
  },
  'probe.failed': {
    firing: (channel, failure) =>
      `Dead-Letter Queue ${channel} cannot be probed (${failure ?? 'unknown'}). Nobody knows how many messages it holds.`,
    resolved: (channel) => `Dead-Letter Queue ${channel} can be probed again.`,
  },
}

const headlines: Readonly<Record<RuleName, Readonly<Record<Alert['status'], string>>>> = {
  'dlq.any': { firing: 'Poison message detected in DLQ', resolved: 'No more messages in DLQ' },
  'probe.failed': { firing: 'Failed to probe DLQ', resolved: 'Probing again DLQ' },
}

/** One line. */
export function headlineOf({ rule, status, severity, channel }: Alert): string {
  return `[${status === 'firing' ? severity : 'RESOLVED'}] ${headlines[rule][status]} ${channel}`
}

/** The whole alert as text, a field a line. */
export function textOf(alert: Alert): string {
  const fields: readonly (readonly [string, string])[] = [
    ['Timestamp', alert.timestamp],
    ['Severity', alert.severity],
    ['Status', alert.status],
    ['Component', alert.component],
    ['Message', alert.message],
    ['Messages in the queue', alert.count === undefined ? 'unknown' : String(alert.count)],
    ['Correlation IDs', alert.correlationIds.length > 0 ? alert.correlationIds.join(', ') : 'unknown'],
    ['Alert', alert.id],
  ]
  return fields.map(([name, value]) => `${name}: ${value}\n`).join('')
}
