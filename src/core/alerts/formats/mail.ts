import { cutToBytes, cutToLength } from '../../cut.ts'
import type { Notification } from '../notification.ts'
import { fitted } from './fit.ts'
import { mostBytes } from './limits.ts'
import { type Templates, wordsOf } from './words.ts'

/** RFC 5322 allows lines of 998; nobody reads as much in a list of mails. */
const longestSubject = 300

export interface AlertMail {
  readonly subject: string
  readonly text: string
  /** The same for every try: a mailbox can tell a repetition. */
  readonly messageId: string
  /** Of the first mail about the group: mail programs show them together. */
  readonly thread: string
}

export function alertMail(notification: Notification, templates: Templates = {}): AlertMail {
  const { id, group } = notification
  const written = fitted(notification, mostBytes.mail, (shorter) => wordsOf(shorter, templates).text)
  return {
    subject: cutToLength(wordsOf(notification, templates).title, longestSubject),
    text: `${cutToBytes(written, mostBytes.mail)}\n`,
    messageId: `<${id}@redrive>`,
    thread: `<${group.dedupKey.replace(':', '.')}.${group.episode}@redrive>`,
  }
}
