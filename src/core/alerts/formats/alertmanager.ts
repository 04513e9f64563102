import type { Notification, NotifiedAlert } from '../notification.ts'

/**
 * For how long Alertmanager takes an alert as firing that it hears nothing more of. We say it anew at least every four hours, and say when it is
 * over; should we be gone for good, so is the alert after a while.
 */
const firesFor = 5 * 3_600_000

/** What `POST /api/v2/alerts` of Alertmanager takes: each alert by itself, since grouping is what Alertmanager does. */
export function alertmanagerAlerts(notification: Notification): string {
  return JSON.stringify(notification.alerts.map((alert) => alertOf(alert, notification)))
}

function alertOf(alert: NotifiedAlert, { timestamp, instance, component }: Notification): object {
  const { message, name, runbook, link, firstSeen } = alert
  const at = Date.parse(timestamp)
  return {
    labels: labelsOf(alert),
    annotations: stated({
      ...{ summary: name, description: message, component, runbook_url: runbook, ...figuresOf(alert) },
      // No label: another control plane that takes over speaks of the same alert.
      redrive_instance: instance,
    }),
    startsAt: firstSeen,
    // One that starts after it ends would be refused.
    endsAt: new Date(Math.max(alert.status === 'firing' ? at + firesFor : at, Date.parse(firstSeen))).toISOString(),
    ...(link !== undefined && { generatorURL: link }),
  }
}

/** What does not change while the alert lives: it is the identity there. */
function labelsOf(alert: NotifiedAlert): Readonly<Record<string, string>> {
  const own = Object.entries(alert.labels).map(([name, value]) => [labelName(name), value])
  return stated({
    ...Object.fromEntries(own),
    alertname: alert.rule,
    severity: alert.severity.toLowerCase(),
    source: alert.source,
    queue: alert.queue,
    consumer_group: alert.consumerGroup,
    cause: alert.cause,
    redrive_alert: alert.dedupKey,
  })
}

function figuresOf({ figures: { count, threshold }, correlationIds }: NotifiedAlert): Record<string, string | undefined> {
  return {
    count: count === undefined ? undefined : String(count),
    threshold: threshold === undefined ? undefined : String(threshold),
    correlation_ids: correlationIds.join(', '),
  }
}

/** An empty label is none. */
function stated(values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const given = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '')
  return Object.fromEntries(given)
}

function labelName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=\d|$)/, '_')
}
