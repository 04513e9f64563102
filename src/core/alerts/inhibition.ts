import { present } from '../present.ts'
import { type Subject, subjectKey } from './identity.ts'
import { isShownUp, type RaisedAlert } from './raised-alert.ts'
import type { RuleType } from './rule.ts'

/** Alerts that speak for others: while one of these is up, for people, what it explains says nothing new. */
export interface Inhibitors {
  /** The fingerprint of the alert that speaks for this one, where there is one. */
  of(alert: RaisedAlert): string | undefined
}

/** Who speaks for whom. Both name what the two have in common, or nothing where the inhibition is not about them. */
interface Inhibition {
  readonly muter: (alert: RaisedAlert) => string | undefined
  readonly muted: (alert: RaisedAlert) => string | undefined
}

const queueOf = ({ source, queue, consumerGroup }: Subject): string =>
  subjectKey({ source, ...present({ queue, consumerGroup }) })
const typed = ({ type, subject }: RaisedAlert): string => `${type} ${subjectKey(subject)}`
const isCritical = ({ severity }: RaisedAlert): boolean => severity === 'critical'

const aboutCounts: ReadonlySet<RuleType> = new Set(['dlq.count', 'dlq.growth', 'source.lag'])
const aboutIngest: ReadonlySet<RuleType> = new Set(['cause.new', 'cause.regressed', 'error.spike', 'replay.stuck'])

const inhibitions: readonly Inhibition[] = [
  // Whoever hears that the broker is down does not need fifty messages about its queues.
  {
    muter: ({ type, subject }) => (type === 'broker.down' ? subject.source : undefined),
    muted: ({ type, subject }) => (type === 'broker.down' ? undefined : subject.source),
  },
  {
    // What can only not be read is counted all the same.
    muter: ({ type, subject, figures: { unread } }) =>
      type === 'probe.failed' && unread === undefined ? queueOf(subject) : undefined,
    muted: ({ type, subject }) => (aboutCounts.has(type) ? queueOf(subject) : undefined),
  },
  {
    muter: (alert) => (alert.type === 'dlq.count' && isCritical(alert) ? queueOf(alert.subject) : undefined),
    muted: ({ type, subject }) => (type === 'dlq.any' ? queueOf(subject) : undefined),
  },
  // Of two thresholds of one thing, the worse one is enough.
  {
    muter: (alert) => (isCritical(alert) ? typed(alert) : undefined),
    muted: (alert) => (isCritical(alert) ? undefined : typed(alert)),
  },
  {
    muter: (alert) => (alert.type === 'store.disk' && isCritical(alert) ? '' : undefined),
    muted: ({ type }) => (aboutIngest.has(type) ? '' : undefined),
  },
]

export function inhibitorsAmong(alerts: Iterable<RaisedAlert>): Inhibitors {
  const muters = inhibitions.map(() => new Map<string, string>())
  for (const alert of alerts) {
    if (!isShownUp(alert)) continue
    for (const [index, { muter }] of inhibitions.entries()) {
      const common = muter(alert)
      if (common !== undefined) muters[index]?.set(common, alert.fingerprint)
    }
  }

  function mutedBy(alert: RaisedAlert, index: number): string | undefined {
    const common = inhibitions[index]?.muted(alert)
    return common === undefined ? undefined : muters[index]?.get(common)
  }

  return {
    of(alert) {
      // A letter that could not be written is never kept quiet.
      if (alert.type === 'dlq.publish.failed') return undefined
      const [first] = inhibitions.flatMap((_, index) => mutedBy(alert, index) ?? [])
      return first
    },
  }
}
