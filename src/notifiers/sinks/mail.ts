import { alertMail } from '../../core/alerts/formats/mail.ts'
import { readOptions } from '../../core/options.ts'
import { loadNodemailer } from '../../outgoing/mail-library.ts'
import { mailKeys, readMail } from '../../outgoing/mail-options.ts'
import { sendBySmtp } from '../../outgoing/smtp.ts'
import { readRoute, readTemplates, routingKeys, textKeys } from '../routing-options.ts'
import type { SinkMaker } from '../sink-maker.ts'

export const mailSink: SinkMaker = (name, options) => {
  const given = readOptions(options, [...mailKeys, ...routingKeys, ...textKeys], 'mail')
  const settings = readMail(given)
  const templates = readTemplates(given)
  return {
    name,
    kind: 'mail',
    target: `${settings.host}:${settings.port}`,
    keepsState: false,
    takes: readRoute(given),
    prepare: async () => void (await loadNodemailer()),
    send(notification, signal) {
      const { subject, text, messageId, thread } = alertMail(notification, templates)
      return sendBySmtp(settings, { subject, text, messageId, inReplyTo: thread }, signal)
    },
  }
}
