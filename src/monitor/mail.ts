import { type Alert, headlineOf, textOf } from '../core/alert.ts'
import { loadNodemailer } from './mail-library.ts'
import { type MailOptions, type MailSettings, resolveMail } from './mail-options.ts'
import { type Notifier, notSent, type SendOutcome, sent } from './notifier.ts'

export type { MailOptions }

/** Sends each alert as a mail by SMTP, one connection a mail. */
export function mail(options: MailOptions): Notifier {
  const settings = resolveMail(options)
  const name = `mail ${settings.host}:${settings.port}`

  return {
    name,
    prepare: async () => void (await loadNodemailer()),
    async send(alert) {
      const { createTransport } = await loadNodemailer()
      try {
        await createTransport(connectionOf(settings)).sendMail(mailOf(alert, settings))
        return sent
      } catch (error) {
        return outcomeOf(error)
      }
    },
  }
}

/** The same names as nodemailer's. Credentials go over TLS, unless the user wrote that there is none. */
function connectionOf({ host, port, security, credentials, tls, timeout }: MailSettings): object {
  return {
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    tls,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
  }
}

/** Nothing here is composed by anybody but us: the addresses are options, the rest is the alert, of which no line can break out. */
function mailOf(alert: Alert, { from, to }: MailSettings): object {
  return {
    from: { name: '', address: from },
    to: to.map((address) => ({ name: '', address })),
    subject: headlineOf(alert),
    text: textOf(alert),
    // The same for every try: a mailbox can tell a repetition.
    messageId: `<${alert.id}.${alert.status}@redrive>`,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** A code and a number at most: what the server answered may repeat the user, the password or the recipients. */
function outcomeOf(error: unknown): SendOutcome {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }
  const reply = typeof responseCode === 'number' ? responseCode : undefined
  const why = [typeof code === 'string' ? code : 'failed', ...(reply === undefined ? [] : [reply])].join(' ')
  return notSent(`The mail server did not take it (${why})`, reply === undefined || reply < 500)
}
