import type { Moment } from './alert-book.ts'
import type { Group } from './grouping.ts'
import { type AlertFacts, type Notification, notificationOf, type Reason } from './notification.ts'
import { isShownUp, type RaisedAlert } from './raised-alert.ts'
import type { Rule } from './rule.ts'
import { headlineFor, ruleName, sentenceFor } from './sentences.ts'
import { severities } from './severity.ts'

/** Who speaks, and what its sources are called. */
export interface Teller {
  readonly instance: string
  /** What a source is, such as `RabbitMQ`. */
  readonly componentOf: (source: string) => string
  readonly dashboard?: string
  readonly ruleNamed: (id: string) => Pick<Rule, 'runbook' | 'correlationIds'> | undefined
}

/** What a group tells of. */
export interface Told {
  readonly alerts: readonly RaisedAlert[]
  /** Of those that fire, the ones that were told before; without it, none. */
  readonly isKnown?: (alert: RaisedAlert) => boolean
}

export function tell(
  group: Group,
  reason: Reason,
  { alerts, isKnown = () => false }: Told,
  { wallNow }: Moment,
  teller: Teller,
): Notification {
  const sorted = newsFirst(alerts, isKnown)
  const facts = sorted.map((alert) => ({ ...factsOf(alert, teller), isKnown: isShownUp(alert) && isKnown(alert) }))
  const [first] = sorted
  const [told] = facts
  if (!first || !told) throw new Error('A notification about nothing.')
  const others = facts.length - 1
  const headline = headlineFor(first.type, told.status, first.subject)
  return notificationOf({
    group: { key: group.key, episode: group.episode, sequence: group.sequence },
    reason,
    at: wallNow,
    component: first.subject.source === '' ? 'Redrive' : teller.componentOf(first.subject.source),
    subject: others === 0 ? headline : `${headline} and ${others} more`,
    message: told.message,
    alerts: facts,
    goesOn: (group.told?.firing.length ?? 0) > 0,
    instance: teller.instance,
    ...(teller.dashboard !== undefined && { dashboard: teller.dashboard }),
  })
}

/** Who fires and was not told before is what the message is about. An end is news too, and no headline while another one fires. */
function newsFirst(alerts: readonly RaisedAlert[], isKnown: (alert: RaisedAlert) => boolean): readonly RaisedAlert[] {
  const { fresh = [], known = [] } = Object.groupBy(alerts.toSorted(mostUrgentFirst), (alert) =>
    isShownUp(alert) && !isKnown(alert) ? 'fresh' : 'known',
  )
  return [...fresh, ...known]
}

function factsOf(alert: RaisedAlert, teller: Teller): AlertFacts {
  const status = isShownUp(alert) ? 'firing' : 'resolved'
  const { runbook, correlationIds } = teller.ruleNamed(alert.rule) ?? { correlationIds: false }
  return {
    status,
    severity: alert.severity,
    rule: alert.rule,
    name: ruleName(alert.type),
    subject: alert.subject,
    labels: alert.labels,
    fingerprint: alert.fingerprint,
    episode: alert.state.episode,
    message: sentenceFor(alert.type, status, alert.subject, alert.figures),
    isFlapping: alert.flaps.isFlapping,
    figures: alert.figures,
    errors: alert.errors,
    correlationIds: correlationIds ? alert.correlationIds : [],
    firstAt: alert.firedAt,
    lastAt: alert.seenAt,
    ...(runbook !== undefined && { runbook }),
  }
}

function mostUrgentFirst(one: RaisedAlert, other: RaisedAlert): number {
  const up = Number(isShownUp(other)) - Number(isShownUp(one))
  return up || severities.indexOf(other.severity) - severities.indexOf(one.severity) || one.firedAt - other.firedAt
}
