import { cutToLength } from '../cut.ts'
import { safeErrorType } from '../sanitise.ts'
import { visible } from '../visible.ts'
import { mostCorrelationIds, shownCorrelationId } from './correlation-id.ts'
import { dedupKeyOf, type Labels, type Subject } from './identity.ts'
import type { ErrorCount } from './sample.ts'
import { highest, type Severity } from './severity.ts'

/**
 * What leaves the control plane when people are told something: one message about a group of alerts. Every field is one of this list, and none
 * can hold a payload, a header, a key or the text of an error: dead letters may hold what must not be in a mailbox. Notifiers turn it
 * into the words of their receiver and add nothing.
 */
export interface Notification {
  readonly version: 1
  /** The same whenever this very notification is sent again: `Redrive-Delivery`. */
  readonly id: string
  readonly group: NotifiedGroup
  /** Why it is sent now. */
  readonly reason: Reason
  /** `firing` as long as one alert of the group is believed to fire, also where it is muted and not listed. */
  readonly status: Status
  /** The highest of the alerts that fire; of all of them where none does. */
  readonly severity: ShownSeverity
  /** ISO 8601, UTC. */
  readonly timestamp: string
  /** Such as `RabbitMQ`. */
  readonly component: string
  /** One line. */
  readonly subject: string
  readonly message: string
  /** Those that fire first, and among them those that are news; at most 20: where there are more, what people know is left out. */
  readonly alerts: readonly NotifiedAlert[]
  /** How many more there are than are listed. */
  readonly more: number
  /** Which control plane says it. */
  readonly instance: string
  /** Where to look; absent where nobody told the control plane its own address. */
  readonly link?: string
}

export type Status = 'firing' | 'resolved'
export type ShownSeverity = 'INFO' | 'WARNING' | 'CRITICAL'

/** `digest`: several groups in one, because there would have been too many. `test`: somebody wants to see whether it arrives. */
export type Reason =
  | 'first'
  | 'new-alert'
  | 'resolved'
  | 'all-resolved'
  | 'repeat'
  | 'flapping'
  | 'settled'
  | 'silence-ended'
  | 'digest'
  | 'test'

export interface NotifiedGroup {
  /** For receivers that tell one from another: `redrive:` and 32 hexadecimal digits. */
  readonly dedupKey: string
  /** Grows each time that the group comes into being. */
  readonly episode: number
  /** Counts its notifications, from 1. A receiver may see numbers left out, and never a smaller one after a larger one. */
  readonly sequence: number
}

export interface NotifiedAlert {
  readonly status: Status
  readonly severity: ShownSeverity
  readonly rule: string
  readonly name: string
  readonly source: string
  readonly queue?: string
  readonly consumerGroup?: string
  /** The fingerprint of a cause. */
  readonly cause?: string
  readonly labels: Labels
  readonly dedupKey: string
  readonly episode: number
  readonly message: string
  readonly isFlapping: boolean
  /** It fires, and people were told before. */
  readonly isKnown: boolean
  readonly figures: Figures
  /** The three most frequent, by class. */
  readonly topErrors: readonly ErrorCount[]
  /** Of some of the letters, where they are known and the rule shows them: the way into the logs. */
  readonly correlationIds: readonly string[]
  /** ISO 8601, UTC. */
  readonly firstSeen: string
  readonly lastSeen: string
  readonly link?: string
  readonly silenceLink?: string
  readonly runbook?: string
}

/** What was measured. Spans are milliseconds. */
export interface Figures {
  readonly count?: number
  readonly previousCount?: number
  readonly threshold?: number
  readonly ratio?: number
  readonly window?: number
  readonly oldestAge?: number
  readonly growthPerMinute?: number
  /** The code of the error that a look failed with. */
  readonly failure?: string
  /** The code of the error that reading messages failed with, where they can be counted. */
  readonly unread?: string
}

/** An alert as a notification is made of it. Times are epoch milliseconds. */
export interface AlertFacts {
  readonly status: Status
  readonly severity: Severity
  readonly rule: string
  readonly name: string
  readonly subject: Subject
  readonly labels: Labels
  readonly fingerprint: string
  readonly episode: number
  readonly message: string
  readonly isFlapping: boolean
  /** It fires, and people were told before. */
  readonly isKnown?: boolean
  readonly figures: Figures
  readonly errors: readonly ErrorCount[]
  readonly correlationIds: readonly string[]
  readonly firstAt: number
  readonly lastAt: number
  readonly runbook?: string
}

export interface NotificationFacts {
  readonly group: { readonly key: string; readonly episode: number; readonly sequence: number }
  readonly reason: Reason
  readonly at: number
  readonly component: string
  readonly subject: string
  readonly message: string
  readonly alerts: readonly AlertFacts[]
  /** Whether somebody who is not listed fires, and people know. */
  readonly goesOn?: boolean
  readonly instance: string
  /** The address of the dashboard, where it is known. Only ids are added to it. */
  readonly dashboard?: string
}

/** Whoever is woken reads no more. */
const mostListed = 20
const mostErrors = 3

export function notificationOf(facts: NotificationFacts): Notification {
  const { group, alerts, dashboard } = facts
  const firing = alerts.filter(({ status }) => status === 'firing')
  const dedupKey = dedupKeyOf(group.key)
  const listed = listedOf(alerts)
  return {
    version: 1,
    id: deliveryId(dedupKey, group.episode, group.sequence),
    group: { dedupKey, episode: group.episode, sequence: group.sequence },
    reason: facts.reason,
    status: firing.length > 0 || facts.goesOn ? 'firing' : 'resolved',
    severity: shownSeverity(highest((firing.length > 0 ? firing : alerts).map(({ severity }) => severity))),
    timestamp: isoTime(facts.at),
    component: shown(facts.component),
    subject: shown(facts.subject),
    message: shown(facts.message),
    alerts: listed.map((alert) => notifiedAlert(alert, dashboard)),
    more: alerts.length - listed.length,
    instance: shown(facts.instance),
    ...(dashboard !== undefined && { link: `${dashboard}/alerts` }),
  }
}

/** What is news stands first. Where not all have a place, those that fire and are known go, and not the headline. */
export function listedOf<Alert extends Pick<AlertFacts, 'status' | 'isKnown'>>(alerts: readonly Alert[]): readonly Alert[] {
  const { firing = [], resolved = [] } = Object.groupBy(alerts, ({ status }) => status)
  const { news = [], known = [] } = Object.groupBy(firing, ({ isKnown }) => (isKnown ? 'known' : 'news'))
  const inOrder = [...news, ...known, ...resolved]
  const [headline] = inOrder
  const byNeed = headline ? [...new Set([headline, ...news, ...resolved, ...known])] : []
  const places = new Set(byNeed.slice(0, mostListed))
  return inOrder.filter((alert) => places.has(alert))
}

function deliveryId(dedupKey: string, episode: number, sequence: number): string {
  return `${dedupKey.slice('redrive:'.length)}.${episode}-${sequence}`
}

function notifiedAlert(alert: AlertFacts, dashboard: string | undefined): NotifiedAlert {
  const { subject } = alert
  return {
    status: alert.status,
    severity: shownSeverity(alert.severity),
    rule: alert.rule,
    name: alert.name,
    source: shown(subject.source),
    ...(subject.queue !== undefined && { queue: shown(subject.queue) }),
    ...(subject.consumerGroup !== undefined && { consumerGroup: shown(subject.consumerGroup) }),
    ...(subject.cause !== undefined && { cause: shown(subject.cause) }),
    labels: Object.fromEntries(Object.entries(alert.labels).map(([name, value]) => [name, shown(value)])),
    dedupKey: dedupKeyOf(alert.fingerprint),
    episode: alert.episode,
    message: shown(alert.message),
    isFlapping: alert.isFlapping,
    isKnown: alert.isKnown ?? false,
    figures: alert.figures,
    topErrors: alert.errors.slice(0, mostErrors).map(shownError),
    correlationIds: alert.correlationIds.slice(-mostCorrelationIds).map(shownCorrelationId),
    firstSeen: isoTime(alert.firstAt),
    lastSeen: isoTime(alert.lastAt),
    ...(dashboard !== undefined && linksTo(dashboard, alert.fingerprint)),
    ...(alert.runbook !== undefined && { runbook: alert.runbook }),
  }
}

/** Pages of the dashboard, which ask who it is: the list with this alert in it, and the form of a silence that is filled in for it. */
function linksTo(dashboard: string, fingerprint: string): Pick<NotifiedAlert, 'link' | 'silenceLink'> {
  return {
    link: `${dashboard}/alerts#${fingerprint}`,
    silenceLink: `${dashboard}/alerts/silences?match=fingerprint%3D${fingerprint}`,
  }
}

function shownSeverity(severity: Severity): ShownSeverity {
  return severity.toUpperCase() as ShownSeverity
}

function shownError({ errorClass, count, fingerprint }: ErrorCount): ErrorCount {
  return { errorClass: safeErrorType(errorClass), count, fingerprint: shown(fingerprint) }
}

const longestText = 500

function shown(text: string): string {
  return cutToLength(visible(text), longestText)
}

/** A wall clock can say anything. */
function isoTime(at: number): string {
  return new Date(Math.min(Math.max(at, 0), 8.64e15)).toISOString()
}
