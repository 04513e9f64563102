import { connect, type Socket } from 'node:net'
import { loadNodemailer } from './mail-library.ts'
import type { MailSettings } from './mail-options.ts'
import { notSent, type SendOutcome, sent } from './send-outcome.ts'

export interface OutgoingMail {
  /** One line. */
  readonly subject: string
  readonly text: string
  readonly messageId: string
  /** The id of the mail that this one is shown below. */
  readonly inReplyTo?: string
}

/** Sends one mail over a connection of its own, which is cut when the signal aborts: what is late must not arrive after what follows it. */
export async function sendBySmtp(settings: MailSettings, mail: OutgoingMail, signal: AbortSignal): Promise<SendOutcome> {
  const { createTransport } = await loadNodemailer()
  try {
    await createTransport(connectionOf(settings, signal)).sendMail(mailOf(mail, settings))
    return sent
  } catch (error) {
    return outcomeOf(error)
  }
}

/** The same names as nodemailer's. Credentials go over TLS, unless the user wrote that there is none. */
function connectionOf({ host, port, security, credentials, tls, timeout }: MailSettings, signal: AbortSignal): object {
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
    getSocket: (_: object, callback: SocketCallback) => openSocket({ host, port, signal, timeout }, callback),
  }
}

type SocketCallback = (error: Error | null, options?: { readonly connection: Socket }) => void

interface Where {
  readonly host: string
  readonly port: number
  readonly signal: AbortSignal
  readonly timeout: number
}

function openSocket(where: Where, callback: SocketCallback): void {
  const socket = connect(where)
  const failed = (error: Error): void => callback(error)
  const late = (): void => void socket.destroy(Object.assign(new Error('The server does not answer.'), { code: 'ETIMEDOUT' }))
  socket.once('error', failed)
  socket.once('timeout', late)
  socket.once('connect', () => {
    socket.removeListener('error', failed)
    socket.removeListener('timeout', late)
    callback(null, { connection: socket })
  })
}

/** Nothing here is composed by anybody but us: the addresses are options, the rest is the alert, of which no line can break out. */
function mailOf({ subject, text, messageId, inReplyTo }: OutgoingMail, { from, to }: MailSettings): object {
  return {
    from: { name: '', address: from },
    to: to.map((address) => ({ name: '', address })),
    subject,
    text,
    messageId,
    ...(inReplyTo !== undefined && { inReplyTo, references: inReplyTo }),
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
