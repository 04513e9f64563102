import { formatDuration } from '../../duration.ts'
import { visible } from '../../visible.ts'
import type { Figures, Notification, NotifiedAlert } from '../notification.ts'
import type { Template } from './template.ts'

/** What a person reads: one line, and what stands below it. Receivers differ only in how they are handed it. */
export interface Words {
  readonly title: string
  readonly text: string
}

/** Texts of the user's own instead of ours. */
export interface Templates {
  readonly title?: Template
  readonly text?: Template
}

export function wordsOf(notification: Notification, { title, text }: Templates = {}): Words {
  return {
    title: visible(title?.(notification) ?? titleOf(notification)),
    text: text?.(notification) ?? [...textLines(notification)].join('\n'),
  }
}

function titleOf({ reason, status, severity, subject }: Notification): string {
  if (reason === 'test') return `[TEST] ${subject}`
  return `[${status === 'firing' ? severity : 'RESOLVED'}] ${subject}`
}

function* textLines(notification: Notification): Generator<string> {
  const { timestamp, severity, status, component, message, alerts, more, link, instance, id } = notification
  yield `Timestamp: ${timestamp}`
  yield `Severity: ${severity}`
  yield `Status: ${status}`
  yield `Component: ${component}`
  yield `Message: ${message}`
  for (const alert of alerts) yield `\n${alertLines(alert).join('\n')}`
  if (more > 0) yield `\n… and ${more} more`
  yield ''
  if (link !== undefined) yield `All alerts: ${link}`
  yield `Instance: ${instance}`
  yield `Delivery: ${id}`
}

/** One alert, a field a line. */
export function alertLines(alert: NotifiedAlert): readonly string[] {
  const optional: readonly (readonly [string, string | undefined])[] = [
    ['Source', alert.source || undefined],
    ['Queue', alert.queue],
    ['Consumer group', alert.consumerGroup],
    ['Cause', alert.cause],
    ...figureLines(alert.figures),
    ['Top errors', alert.topErrors.map(({ errorClass, count }) => `${errorClass} × ${count}`).join(', ') || undefined],
    ['Correlation IDs', alert.correlationIds.join(', ') || undefined],
    ['First seen', alert.firstSeen],
    ['Last seen', alert.lastSeen],
    ['Look at it', alert.link],
    ['What to do', alert.runbook],
    ['Silence it', alert.silenceLink],
  ]
  const known = optional.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}: ${value}`)
  const state = alert.status === 'resolved' ? 'RESOLVED' : `${alert.severity}${alert.isFlapping ? ', flapping' : ''}`
  return [`[${state}] ${alert.name} (${alert.rule})`, alert.message, ...known]
}

function figureLines(figures: Figures): readonly (readonly [string, string | undefined])[] {
  const { count, previousCount, threshold, ratio, window, oldestAge, growthPerMinute, failure, unread } = figures
  const before = previousCount === undefined ? '' : `, ${previousCount} before`
  return [
    ['Count', count === undefined ? undefined : `${count}${before}`],
    ['Threshold', textOf(threshold)],
    ['Share', ratio === undefined ? undefined : `${Math.round(ratio * 1000) / 10} %`],
    ['Window', span(window)],
    ['Oldest', span(oldestAge)],
    ['Growth per minute', textOf(growthPerMinute)],
    ['Failure', failure ?? unread],
  ]
}

function textOf(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(Math.round(value * 1000) / 1000)
}

function span(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatDuration(Math.max(1000, Math.round(ms / 1000) * 1000))
}
