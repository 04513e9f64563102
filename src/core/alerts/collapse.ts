import { listedOf, type Notification, type NotifiedAlert } from './notification.ts'
import { joinSummaries } from './summary.ts'

/**
 * What one sink is told of a group when several notifications about it wait, the oldest first: where the group stands now, with all that ended meanwhile.
 * Receivers that keep each alert by itself would never hear of an end that stood only in one of those before. What the later ones take for known
 * is news to this sink, as long as one that waits is the first to tell it.
 */
export function collapse(waiting: readonly [Notification, ...Notification[]]): Notification {
  const [first] = waiting
  const latest = waiting.at(-1) ?? first
  const earlier = waiting.slice(0, -1)
  if (latest.reason === 'digest' && earlier.length > 0) return joinSummaries(waiting)
  const { begun, ended } = untoldOf(earlier)
  const told = latest.alerts.map((alert) => (begun.has(alert.dedupKey) ? { ...alert, isKnown: false } : alert))
  const isInLatest = new Set(latest.alerts.map(({ dedupKey }) => dedupKey))
  const others = (alerts: ReadonlyMap<string, NotifiedAlert>): readonly NotifiedAlert[] =>
    [...alerts.values()].filter(({ dedupKey }) => !isInLatest.has(dedupKey))
  const over = others(ended)
  const alerts = listedOf([...told, ...others(begun).slice(0, mostUnlisted(latest)), ...over])
  const more = latest.more + latest.alerts.length + over.length - alerts.length
  return { ...latest, alerts, more, ...(wasNeverTold(earlier, latest) && { message: `${neverTold} ${latest.message}` }) }
}

export const neverTold = 'It fired and was resolved before this could be delivered.'

/** Nobody heard that it began, and it is over. */
function wasNeverTold(earlier: readonly Notification[], latest: Notification): boolean {
  return latest.status === 'resolved' && earlier.some(({ reason, status }) => reason === 'first' && status === 'firing')
}

/**
 * How many that are not listed may be taken to fire still. It lists known ones behind its headline only when all who are over have a place:
 * otherwise one that is missing may be over.
 */
function mostUnlisted({ alerts, more }: Notification): number {
  return alerts.slice(1).some(({ isKnown }) => isKnown) ? more : 0
}

interface Untold {
  /** They fire, and one that waits was the first to tell it. */
  readonly begun: ReadonlyMap<string, NotifiedAlert>
  readonly ended: ReadonlyMap<string, NotifiedAlert>
}

function untoldOf(waiting: readonly Notification[]): Untold {
  const begun = new Map<string, NotifiedAlert>()
  const ended = new Map<string, NotifiedAlert>()
  for (const alert of waiting.flatMap(({ alerts }) => alerts)) {
    const { dedupKey, status, isKnown } = alert
    if (status === 'resolved') {
      begun.delete(dedupKey)
      ended.set(dedupKey, alert)
      continue
    }
    ended.delete(dedupKey)
    if (!isKnown || begun.has(dedupKey)) begun.set(dedupKey, { ...alert, isKnown: false })
  }
  return { begun, ended }
}
