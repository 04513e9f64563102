import { dedupKeyOf } from './identity.ts'
import { listedOf, type Notification, type NotifiedAlert } from './notification.ts'

/** Notifications about several groups, as one. */
export function summaryOf(sink: string, held: readonly Notification[], now: number, wallNow: number): Notification {
  const firing = held.filter(({ status }) => status === 'firing')
  const [first] = (firing.length > 0 ? firing : held).toSorted(bySeverity)
  if (!first) throw new Error('A summary of nothing.')
  const dedupKey = dedupKeyOf(`digest ${sink}`)
  return {
    ...first,
    id: `${dedupKey.slice('redrive:'.length)}.${now}-1`,
    group: { dedupKey, episode: now, sequence: 1 },
    reason: 'digest',
    status: firing.length > 0 ? 'firing' : 'resolved',
    timestamp: new Date(wallNow).toISOString(),
    subject: `Summary of ${held.length} groups of alerts, ${firing.length} of them firing`,
    message: `There were too many notifications to send each by itself. These are the latest of ${held.length} groups.`,
    ...listing(
      held.flatMap(({ alerts }) => alerts),
      held,
    ),
  }
}

/** Each summary tells of other groups: none of them stands for those before it, as the latest notification of a group does. */
export function joinSummaries(waiting: readonly [Notification, ...Notification[]]): Notification {
  const latest = waiting.at(-1) ?? waiting[0]
  const alerts = latestOfEach(waiting.flatMap((summary) => summary.alerts))
  const firing = alerts.filter(({ status }) => status === 'firing')
  const [worst = latest] = (firing.length > 0 ? firing : alerts).toSorted(bySeverity)
  return {
    ...latest,
    status: firing.length > 0 ? 'firing' : latest.status,
    severity: worst.severity,
    subject: `${waiting.length} summaries of alerts that could not be delivered before`,
    message: 'There were too many notifications to send each by itself, and their summaries had to wait.',
    ...listing(alerts, waiting),
  }
}

/** It is news where it was news in any of them, and is still what it was. */
function latestOfEach(alerts: readonly NotifiedAlert[]): readonly NotifiedAlert[] {
  const latest = new Map<string, NotifiedAlert>()
  for (const alert of alerts) {
    const before = latest.get(alert.dedupKey)
    const wasNews = before?.status === 'firing' && !before.isKnown
    latest.set(alert.dedupKey, wasNews ? { ...alert, isKnown: false } : alert)
  }
  return [...latest.values()]
}

function listing(alerts: readonly NotifiedAlert[], from: readonly Notification[]): Pick<Notification, 'alerts' | 'more'> {
  const listed = listedOf(alerts.toSorted(bySeverity))
  const unlisted = from.reduce((sum, { more }) => sum + more, 0)
  return { alerts: listed, more: unlisted + alerts.length - listed.length }
}

type Severe = Pick<Notification, 'severity'>

const order = ['CRITICAL', 'WARNING', 'INFO'] as const

function bySeverity(one: Severe, other: Severe): number {
  return order.indexOf(one.severity) - order.indexOf(other.severity)
}
