import { noFlaps } from './flapping.ts'
import type { Reason } from './notification.ts'
import { isUrgent, type RaisedAlert } from './raised-alert.ts'
import type { Severity } from './severity.ts'

/** When a group speaks. Milliseconds. */
export interface GroupTimers {
  /** How long the first alert of a group waits for others. */
  readonly wait: number
  /** How long after it has spoken a group may speak again. */
  readonly interval: number
  /** How long until it says the same once more. */
  readonly repeat: number
  /** The same for a group with a critical alert that fires, where that is to be sooner. */
  readonly repeatCritical?: number
}

/** Alertmanager's own. */
export const usualTimers: GroupTimers = { wait: 30_000, interval: 5 * 60_000, repeat: 4 * 3_600_000 }

/** What is urgent waits for nobody; a flood of urgent ones is told every few seconds and not every time. */
export const urgentEvery = 5000

/** Alerts that people are told about together. Times are the engine's own. */
export interface Group {
  readonly key: string
  readonly episode: number
  readonly sequence: number
  /** Fingerprints. */
  readonly members: readonly string[]
  readonly nextFlush: number
  readonly lastFlush?: number
  readonly told?: Told
  /** The sinks that were told that it fires, and not yet that it is over. Groups of before this was kept have none. */
  readonly heardBy?: readonly string[]
  /** Fingerprints of members that were silenced when the group could last have spoken. */
  readonly silenced: readonly string[]
}

/** What people believe to fire since the group last spoke, by the names that `nameOf` gives. */
export interface Told {
  readonly at: number
  readonly firing: readonly string[]
}

/** Alerts about one cause belong together, and so do all of one severity about one source: five thousand queues are one message. */
export function groupKeyOf({ type, severity, subject }: RaisedAlert): string {
  if (type === 'watchdog') return JSON.stringify(['watchdog'])
  if (subject.sink !== undefined) return JSON.stringify(['sink', subject.sink])
  if (subject.cause !== undefined) return JSON.stringify(['cause', subject.source, subject.cause])
  return JSON.stringify(['source', subject.source, severity])
}

/**
 * An alert as a group of its sees it. Where its rule got another severity, another group speaks for it: in this one it is over, under the severity
 * that people were told, so that whoever keeps what fires hears the end of it.
 */
export function seenBy({ key }: Pick<Group, 'key'>, alert: RaisedAlert): RaisedAlert {
  if (groupKeyOf(alert) === key) return alert
  const [kind, , severity] = JSON.parse(key) as readonly [string, string?, Severity?]
  const { since, episode } = alert.state
  const left = { ...alert, state: { phase: 'ok', since, episode }, flaps: noFlaps(since) } as const
  return kind === 'source' && severity ? { ...left, severity } : left
}

/**
 * What counts as the same news. An urgent alert that fires again is news each time; others that come back before anybody heard that they
 * were gone are not. That one has begun to flap is news, and so is that it has stopped.
 */
export function nameOf(alert: RaisedAlert): string {
  if (alert.flaps.isFlapping) return `${alert.fingerprint}~`
  return isUrgent(alert) ? `${alert.fingerprint}.${alert.state.episode}` : alert.fingerprint
}

/** What people believe, to be asked about alerts: groups may have thousands. */
export interface Beliefs {
  readonly at: number
  /** Whether this very news was told. */
  knowsNews(alert: RaisedAlert): boolean
  /** Whether the alert is believed to fire. */
  knows(alert: RaisedAlert): boolean
  knowsAsFlapping(alert: RaisedAlert): boolean
  /** The names that were told of it. */
  namesOf(alert: RaisedAlert): readonly string[]
}

const fingerprintLength = 64

export function beliefsOf({ at, firing }: Told): Beliefs {
  const names = new Set(firing)
  const byAlert = Map.groupBy(firing, (name) => name.slice(0, fingerprintLength))
  return {
    at,
    knowsNews: (alert) => names.has(nameOf(alert)),
    knows: ({ fingerprint }) => byAlert.has(fingerprint),
    knowsAsFlapping: ({ fingerprint }) => names.has(`${fingerprint}~`),
    namesOf: ({ fingerprint }) => byAlert.get(fingerprint) ?? [],
  }
}

/** A group as it looks at the moment when it may speak. */
export interface Situation {
  readonly told: Beliefs | undefined
  /** Those that fire and are not muted. */
  readonly firing: readonly RaisedAlert[]
  /** Those that are over. */
  readonly resolved: readonly RaisedAlert[]
  /** Those that fire and are muted. */
  readonly muted: readonly RaisedAlert[]
  /** Urgent ones that were over before anybody was told. */
  readonly missed: readonly RaisedAlert[]
  /** Whether a silence has just left one that fires. */
  readonly isUnsilenced: boolean
  /** Whether one that fires is nobody's yet. */
  readonly repeats: boolean
}

/**
 * Whether to speak, and why: Alertmanager's questions in Alertmanager's order. Somebody new fires; nobody fires any more; somebody is resolved;
 * it has been long. Otherwise than there, what was never told is not told to be over, except where it was urgent; and what was told is told to
 * be over even when it is silenced meanwhile.
 */
export function reasonToSpeak(situation: Situation, timers: GroupTimers, now: number): Reason | undefined {
  const { told, firing, missed, resolved, muted, isUnsilenced, repeats } = situation
  if (!told) return firing.length > 0 || missed.length > 0 ? 'first' : undefined
  const news = reasonOfNews(firing, told)
  if (news) return news
  if (missed.length > 0) return 'new-alert'
  const isOver = resolved.some(told.knows)
  if (firing.length === 0) return isOver ? (muted.some(told.knows) ? 'resolved' : 'all-resolved') : undefined
  if (isUnsilenced) return 'silence-ended'
  if (isOver) return 'resolved'
  return repeats && now - told.at >= repeatAfter(firing, timers) ? 'repeat' : undefined
}

function repeatAfter(firing: readonly RaisedAlert[], { repeat, repeatCritical = repeat }: GroupTimers): number {
  return firing.some(({ severity }) => severity === 'critical') ? repeatCritical : repeat
}

function reasonOfNews(firing: readonly RaisedAlert[], told: Beliefs): Reason | undefined {
  const fresh = firing.filter((alert) => !told.knowsNews(alert))
  if (fresh.length === 0) return undefined
  if (fresh.every(({ flaps }) => flaps.isFlapping)) return 'flapping'
  return fresh.every(told.knowsAsFlapping) ? 'settled' : 'new-alert'
}
