import { type Alert, headlineOf, textOf } from '../core/alerts/monitor/alert.ts'
import { loadNodemailer } from '../outgoing/mail-library.ts'
import { type MailOptions, resolveMail } from '../outgoing/mail-options.ts'
import { type OutgoingMail, sendBySmtp } from '../outgoing/smtp.ts'
import type { Notifier } from './notifier.ts'

export type { MailOptions }

/** Sends each alert as a mail by SMTP, one connection a mail. */
export function mail(options: MailOptions): Notifier {
  const settings = resolveMail(options)
  return {
    name: `mail ${settings.host}:${settings.port}`,
    prepare: async () => void (await loadNodemailer()),
    send: (alert, signal) => sendBySmtp(settings, mailOf(alert), signal),
  }
}

function mailOf(alert: Alert): OutgoingMail {
  // The same for every try: a mailbox can tell a repetition.
  return { subject: headlineOf(alert), text: textOf(alert), messageId: `<${alert.id}.${alert.status}@redrive>` }
}
