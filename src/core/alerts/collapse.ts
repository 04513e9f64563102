import { mostListed, type Notification, type NotifiedAlert } from './notification.ts'

/**
 * What one sink is told of a group when several notifications about it wait, the oldest first: where the group stands now, with all that ended meanwhile.
 * Receivers that keep each alert by itself would never hear of an end that stood only in one of those before.
 */
export function collapse(waiting: readonly [Notification, ...Notification[]]): Notification {
  const [first] = waiting
  const latest = waiting.at(-1) ?? first
  const earlier = waiting.slice(0, -1)
  const ended = endedMeanwhile(earlier, latest)
  const alerts = [...latest.alerts, ...ended].slice(0, mostListed)
  const more = latest.more + latest.alerts.length + ended.length - alerts.length
  return { ...latest, alerts, more, ...(wasNeverTold(earlier, latest) && { message: `${neverTold} ${latest.message}` }) }
}

export const neverTold = 'It fired and was resolved before this could be delivered.'

/** Nobody heard that it began, and it is over. */
function wasNeverTold(earlier: readonly Notification[], latest: Notification): boolean {
  return latest.status === 'resolved' && earlier.some(({ reason, status }) => reason === 'first' && status === 'firing')
}

function endedMeanwhile(earlier: readonly Notification[], latest: Notification): readonly NotifiedAlert[] {
  const ended = new Map<string, NotifiedAlert>()
  for (const { alerts } of earlier) {
    for (const alert of alerts) {
      if (alert.status === 'resolved') ended.set(alert.dedupKey, alert)
      else ended.delete(alert.dedupKey)
    }
  }
  for (const { dedupKey } of latest.alerts) ended.delete(dedupKey)
  return [...ended.values()]
}
