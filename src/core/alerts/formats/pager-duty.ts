import { cutToLength } from '../../cut.ts'
import type { Notification } from '../notification.ts'
import { fitted } from './fit.ts'
import { mostBytes } from './limits.ts'
import { type Templates, wordsOf } from './words.ts'

const longestSummary = 1024

/**
 * An event of PagerDuty's Events API v2. The group is the alert there: its key is the same as long as it fires, so that news of it change one
 * incident, and the last one resolves it.
 */
export function pagerDutyEvent(notification: Notification, routingKey: string, templates: Templates = {}): string {
  return fitted(notification, mostBytes.pagerDuty, (shorter) => JSON.stringify(eventOf(shorter, routingKey, templates)))
}

function eventOf(notification: Notification, routingKey: string, templates: Templates): object {
  const { group, status, severity, timestamp, component, instance, link, alerts } = notification
  const address = { routing_key: routingKey, dedup_key: group.dedupKey }
  if (status === 'resolved') return { ...address, event_action: 'resolve' }
  const [first] = alerts
  const { title, text } = wordsOf(notification, templates)
  return {
    ...address,
    event_action: 'trigger',
    client: 'Redrive',
    ...(link !== undefined && { client_url: link, links: [{ href: link, text: 'All alerts' }] }),
    payload: {
      summary: cutToLength(title, longestSummary),
      source: first?.queue ?? (first?.source || instance),
      severity: severity.toLowerCase(),
      timestamp,
      component,
      ...(first && { group: first.source || instance, class: first.rule }),
      custom_details: { text, ...notification },
    },
  }
}
