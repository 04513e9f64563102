import { cutToLength } from '../../cut.ts'
import type { Notification } from '../notification.ts'
import { fitted } from './fit.ts'
import { mostBytes } from './limits.ts'
import { alertLines, type Templates, wordsOf } from './words.ts'

/** Slack takes 150 characters of a header and 3,000 of a section; a template of the user's own is shorter, so that all of it fits in any script. */
const [longestHeader, longestSection, longestTemplate, longestPreview] = [150, 3000, 2000, 300]

/**
 * The body of an incoming webhook of Slack, in blocks. What comes from a broker is plain text in them, in which nothing is a mention or a link;
 * only the preview and our own links are Slack's markup, and there its three special characters are escaped.
 */
export function slackBody(notification: Notification, templates: Templates = {}): string {
  return fitted(notification, mostBytes.slack, (shorter) => JSON.stringify(messageOf(shorter, templates)))
}

function messageOf(notification: Notification, templates: Templates): object {
  const { title, text } = wordsOf(notification, templates)
  return {
    text: escaped(cutToLength(title, longestPreview)),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cutToLength(title, longestHeader), emoji: false } },
      ...(templates.text ? [section(cutToLength(text, longestTemplate))] : sections(notification)),
      ...linkTo(notification.link),
      { type: 'context', elements: [plain(`${notification.instance} · ${notification.id}`)] },
    ],
  }
}

function sections({ timestamp, component, message, alerts, more }: Notification): readonly object[] {
  return [
    section(`${message}\n${component}, ${timestamp}`),
    ...alerts.map((alert) => section(alertLines(alert).join('\n'))),
    ...(more > 0 ? [section(`… and ${more} more`)] : []),
  ]
}

function section(text: string): object {
  return { type: 'section', text: plain(cutToLength(text, longestSection)) }
}

function plain(text: string): object {
  return { type: 'plain_text', text, emoji: false }
}

function linkTo(link: string | undefined): readonly object[] {
  return link === undefined
    ? []
    : [{ type: 'section', text: { type: 'mrkdwn', text: `<${escaped(encodeURI(link))}|Look at all alerts>` } }]
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
