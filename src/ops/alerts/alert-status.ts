import type { Phase } from '../../core/alerts/alert-state.ts'
import type { Labels } from '../../core/alerts/identity.ts'
import { inhibitorsAmong } from '../../core/alerts/inhibition.ts'
import { isAcknowledged, isSilenced, type Quiet } from '../../core/alerts/mute.ts'
import type { Figures } from '../../core/alerts/notification.ts'
import { isShownUp, type RaisedAlert } from '../../core/alerts/raised-alert.ts'
import type { RuleType } from '../../core/alerts/rule.ts'
import type { ErrorCount } from '../../core/alerts/sample.ts'
import { ruleName, sentenceFor } from '../../core/alerts/sentences.ts'
import type { Severity } from '../../core/alerts/severity.ts'
import type { KnownAlert } from '../../vault/operations/alert-records.ts'

/** An alert as people see it. Times are epoch milliseconds. Nothing of it is payload. */
export interface AlertStatus {
  readonly fingerprint: string
  readonly rule: string
  readonly type: RuleType
  readonly name: string
  readonly severity: Severity
  readonly source: string
  readonly queue: string | null
  readonly consumerGroup: string | null
  readonly cause: string | null
  readonly replay: number | null
  readonly sink: string | null
  readonly labels: Labels
  readonly phase: Phase
  readonly episode: number
  readonly message: string
  readonly figures: Figures
  readonly errors: readonly ErrorCount[]
  readonly correlationIds: readonly string[]
  readonly isFlapping: boolean
  readonly firedAt: number
  readonly seenAt: number
  readonly changedAt: number
  /** Nobody can look, since then: its phase is the last one that somebody saw. */
  readonly unknownSince: number | null
  readonly acknowledged: Mark | null
  readonly snoozed: Mark | null
  /** Why people are not told: somebody asked for silence, or another alert speaks for it. */
  readonly mutedBy: 'silence' | 'inhibition' | null
}

export interface Mark {
  readonly by: string
  readonly until: number
}

export interface StatusContext {
  readonly quiet: Quiet
  /** Every alert that is open: some speak for others. */
  readonly open: readonly RaisedAlert[]
  /** The engine's own time, and the wall clock's. */
  readonly now: number
  readonly wallNow: number
}

export function alertStatuses(alerts: readonly KnownAlert[], context: StatusContext): readonly AlertStatus[] {
  const { quiet, now, wallNow } = context
  const inhibitors = inhibitorsAmong(context.open)
  const onTheWall = (at: number): number => wallNow - (now - at)

  function mutedBy(alert: RaisedAlert): AlertStatus['mutedBy'] {
    if (!isShownUp(alert)) return null
    if (isSilenced(alert, quiet, now, wallNow)) return 'silence'
    return inhibitors.of(alert) === undefined ? null : 'inhibition'
  }

  function markOf(by: string | undefined, until: number | undefined): Mark | null {
    return by !== undefined && until !== undefined && until > now ? { by, until: onTheWall(until) } : null
  }

  return alerts.map(({ alert, marks }) => {
    const { subject, state } = alert
    const isUp = isShownUp(alert)
    return {
      fingerprint: alert.fingerprint,
      rule: alert.rule,
      type: alert.type,
      name: ruleName(alert.type),
      severity: alert.severity,
      source: subject.source,
      queue: subject.queue ?? null,
      consumerGroup: subject.consumerGroup ?? null,
      cause: subject.cause ?? null,
      replay: subject.replay ?? null,
      sink: subject.sink ?? null,
      labels: alert.labels,
      phase: state.phase,
      episode: state.episode,
      message: sentenceFor(alert.type, isUp || state.phase === 'pending' ? 'firing' : 'resolved', subject, alert.figures),
      figures: alert.figures,
      errors: alert.errors,
      correlationIds: alert.correlationIds,
      isFlapping: alert.flaps.isFlapping,
      firedAt: alert.firedAt,
      seenAt: alert.seenAt,
      changedAt: alert.changedAt,
      unknownSince: state.unknownSince === undefined ? null : onTheWall(state.unknownSince),
      acknowledged: isAcknowledged(alert, quiet, now) ? markOf(marks?.acknowledgedBy, marks?.acknowledgedUntil) : null,
      snoozed: markOf(marks?.snoozedBy, marks?.snoozedUntil),
      mutedBy: mutedBy(alert),
    }
  })
}
