import { type AlertState, isUp } from './alert-state.ts'
import type { Flaps } from './flapping.ts'
import type { Labels, Subject } from './identity.ts'
import type { Figures } from './notification.ts'
import type { RuleType } from './rule.ts'
import type { ErrorCount } from './sample.ts'
import type { Severity } from './severity.ts'

/** One rule about one subject, from the first time that its condition held. It is kept for a while after it was resolved. */
export interface RaisedAlert {
  readonly fingerprint: string
  readonly rule: string
  readonly type: RuleType
  readonly severity: Severity
  readonly subject: Subject
  readonly labels: Labels
  /** What of its rule must not change under it; where it does, the alert begins anew. */
  readonly ruleKey: string
  readonly state: AlertState
  readonly flaps: Flaps
  readonly figures: Figures
  readonly errors: readonly ErrorCount[]
  readonly correlationIds: readonly string[]
  /** Epoch milliseconds: when this episode began, when its condition was last seen to hold, and when the phase changed last. */
  readonly firedAt: number
  readonly seenAt: number
  readonly changedAt: number
}

/** What people are to believe: while it flaps, it is up whatever it is at the moment. */
export function isShownUp({ state, flaps }: Pick<RaisedAlert, 'state' | 'flaps'>): boolean {
  return flaps.isFlapping || isUp(state)
}

/** What people are to look at: it is up, about to be, or comes and goes. */
export function isOpen(alert: Pick<RaisedAlert, 'state' | 'flaps'>): boolean {
  return alert.state.phase !== 'ok' || isShownUp(alert)
}

/** A letter in a dead-letter queue, and one that could not even be written there, are told within seconds, and told even when it is over by then. */
export function isUrgent({ type, severity }: Pick<RaisedAlert, 'type' | 'severity'>): boolean {
  return severity === 'critical' && (type === 'dlq.any' || type === 'dlq.publish.failed')
}
