import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A mail as it came over the wire, before anybody decoded it. */
export interface ReceivedMail {
  readonly user: string | undefined
  readonly secure: boolean
  readonly from: string
  readonly to: readonly string[]
  /** Headers and text as they came. */
  readonly raw: string
  readonly headers: readonly string[]
  /** Decoded from quoted-printable. */
  readonly text: string
}

/** A real SMTP server that asks for a user and a password, and keeps what it is sent. */
export interface Mailbox {
  readonly port: number
  readonly mails: ReceivedMail[]
  /** Attempts to log in, with the password that was tried. */
  readonly logins: { readonly user: string; readonly password: string }[]
  close(): Promise<void>
}

export const mailUser = 'alerts'
export const mailPassword = 'correct horse battery'

export async function openMailbox(options: SMTPServerOptions = {}): Promise<Mailbox> {
  const mails: ReceivedMail[] = []
  const logins: Mailbox['logins'] = []
  const server = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth({ username, password }, _session, answer) {
      logins.push({ user: username ?? '', password: password ?? '' })
      const isRight = username === mailUser && password === mailPassword
      if (isRight) answer(null, { user: username })
      else answer(Object.assign(new Error(`No, ${username} with ${password}`), { responseCode: 535 }))
    },
    onData(stream, session, answer) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) }
        mails.push({ user: session.user, secure: session.secure, ...envelope, ...parsed(Buffer.concat(chunks).toString()) })
        answer()
      })
    },
    ...options,
  })
  // A client that hangs up is what some tests are about.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    logins,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

function parsed(raw: string): Pick<ReceivedMail, 'raw' | 'headers' | 'text'> {
  const [head = '', body = ''] = raw.split(/\r\n\r\n([\s\S]*)/)
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return { raw, headers, text: fromQuotedPrintable(body) }
}

function fromQuotedPrintable(text: string): string {
  return text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\r\n', '\n')
}
