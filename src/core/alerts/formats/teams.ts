import { cutToLength } from '../../cut.ts'
import type { Notification } from '../notification.ts'
import { fitted } from './fit.ts'
import { mostBytes } from './limits.ts'
import { alertLines, type Templates, wordsOf } from './words.ts'

const longestBlock = 5000

/**
 * The body that a workflow of Microsoft Teams takes when a webhook request is received: a message with one adaptive card. Everything that comes from
 * a broker is a run of rich text, in which Teams reads no Markdown.
 */
export function teamsBody(notification: Notification, templates: Templates = {}): string {
  return fitted(notification, mostBytes.teams, (shorter) => JSON.stringify(messageOf(shorter, templates)))
}

function messageOf(notification: Notification, templates: Templates): object {
  const { title, text } = wordsOf(notification, templates)
  const { link } = notification
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      block(title, { weight: 'Bolder', size: 'Large', color: colourOf(notification) }),
      ...(templates.text ? [block(text)] : blocks(notification)),
      block(`${notification.instance} · ${notification.id}`, { isSubtle: true, size: 'Small' }),
    ],
    ...(link !== undefined && { actions: [{ type: 'Action.OpenUrl', title: 'Look at all alerts', url: link }] }),
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
  }
}

function blocks({ timestamp, component, message, alerts, more }: Notification): readonly object[] {
  return [
    block(`${message} (${component}, ${timestamp})`),
    ...alerts.map((alert) => block(alertLines(alert).join('\n'))),
    ...(more > 0 ? [block(`… and ${more} more`)] : []),
  ]
}

function block(text: string, look: object = {}): object {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: cutToLength(text, longestBlock), ...look }] }
}

function colourOf({ status, severity }: Notification): string {
  if (status === 'resolved') return 'Good'
  return severity === 'CRITICAL' ? 'Attention' : severity === 'WARNING' ? 'Warning' : 'Default'
}
