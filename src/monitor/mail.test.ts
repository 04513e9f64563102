import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Mailbox, mailPassword, mailUser, openMailbox } from '../../test/alerts/mailbox.ts'
import { alertOf } from '../core/alerts/monitor/alert.ts'
import type { MailOptions } from '../outgoing/mail-options.ts'
import { mail } from './mail.ts'

const facts = {
  ...({ id: 'a-1', status: 'firing', rule: 'dlq.any', component: 'RabbitMQ', channel: 'dlq.orders' } as const),
  ...{ at: 0, count: 1, failure: undefined, correlationIds: ['c-1'] },
}
const alert = alertOf(facts)
const never = new AbortController().signal

let mailbox: Mailbox | undefined
afterEach(() => mailbox?.close())

function optionsFor(port: number, more: Partial<MailOptions> = {}): MailOptions {
  const credentials = { user: mailUser, password: mailPassword, timeout: '1m' }
  return { host: '127.0.0.1', port, ...credentials, from: 'redrive@example.com', to: ['ops@example.com'], ...more }
}

describe('a mail', () => {
  it('goes out with credentials and holds the alert', async () => {
    mailbox = await openMailbox()
    expect(await mail(optionsFor(mailbox.port, { security: 'none' })).send(alert, never)).toEqual({ kind: 'sent' })
    expect(mailbox.mails).toMatchObject([
      {
        user: mailUser,
        secure: false,
        from: 'redrive@example.com',
        to: ['ops@example.com'],
        text: expect.stringContaining(alert.message),
      },
    ])
    expect(mailbox.mails[0]?.headers).toContain('Subject: [CRITICAL] Poison message detected in DLQ dlq.orders')
  })

  it.each([
    ['starttls', { disabledCommands: [] }],
    ['tls', { secure: true }],
  ] as const)('goes over TLS with security "%s"', async (security, server) => {
    mailbox = await openMailbox({ ...server, disabledCommands: [] })
    // The server has the self-signed certificate of its library.
    const options = optionsFor(mailbox.port, { security, tls: { rejectUnauthorized: false } })
    expect(await mail(options).send(alert, never)).toEqual({ kind: 'sent' })
    expect(mailbox.mails).toMatchObject([{ user: mailUser, secure: true }])
  })

  it('never tells its password to a server without TLS, or with a certificate that nobody vouches for', async () => {
    mailbox = await openMailbox()
    expect(await mail(optionsFor(mailbox.port)).send(alert, never)).toMatchObject({ kind: 'failed' })
    expect([mailbox.logins, mailbox.mails]).toEqual([[], []])
    await mailbox.close()
    mailbox = await openMailbox({ disabledCommands: [] })
    expect(await mail(optionsFor(mailbox.port)).send(alert, never)).toMatchObject({ kind: 'failed' })
    expect([mailbox.logins, mailbox.mails]).toEqual([[], []])
  })

  it('with a wrong password is not tried again, and what failed shows no secret', async () => {
    mailbox = await openMailbox()
    const outcome = await mail(optionsFor(mailbox.port, { security: 'none', password: 'hunter2' })).send(alert, never)
    expect(outcome).toEqual({ kind: 'failed', why: 'The mail server did not take it (EAUTH 535)', retry: false })
  })

  it('that a server cannot take now is tried again', async () => {
    mailbox = await openMailbox({
      onRcptTo: (_address, _session, answer) => answer(Object.assign(new Error('Try later'), { responseCode: 451 })),
    })
    expect(await mail(optionsFor(mailbox.port, { security: 'none' })).send(alert, never)).toMatchObject({ retry: true })
    expect(await mail(optionsFor(1, { security: 'none' })).send(alert, never)).toMatchObject({ retry: true })
  })

  it('has the same headers whatever the channel is called', async () => {
    mailbox = await openMailbox()
    const notifier = mail(optionsFor(mailbox.port, { security: 'none' }))
    const hostile = 'x\r\nBcc: evil@example.com\r\n\r\n<html>'
    for (const channel of ['dlq.orders', hostile]) await notifier.send(alertOf({ ...facts, channel }), never)
    const names = mailbox.mails.map(({ headers }) => headers.map((header) => header.split(':')[0]))
    expect(names[1]).toEqual(names[0])
    expect(mailbox.mails.map(({ to }) => to)).toEqual([['ops@example.com'], ['ops@example.com']])
  })

  it('needs a library that is only loaded then, and says how to get it', async () => {
    vi.doMock('nodemailer', () => {
      throw new Error('Cannot find package')
    })
    vi.resetModules()
    const { mail: without } = await import('./mail.ts')
    await expect(without(optionsFor(25)).prepare?.()).rejects.toMatchObject({
      code: 'missing-library',
      message: expect.stringContaining('npm install nodemailer@10'),
    })
    vi.doUnmock('nodemailer')
  })
})

it.each<[Partial<MailOptions>, string]>([
  [{ to: 'ops@ok.com,evil@x.com' }, 'mail: to'],
  [{ to: ['"a@evil.com> ROUTED"@ok.com'] }, 'mail: to[0]'],
  [{ to: ['ops@ök.com'] }, 'mail: to[0]'],
  [{ to: [] }, 'mail: to is empty'],
  [{ from: 'Redrive <redrive@example.com>' }, 'mail: from'],
  [{ host: 'a\r\nb' }, 'mail: host'],
  [{ port: 0 }, 'mail: port'],
])('refuses %j', (options, message) => {
  expect(() => mail(optionsFor(25, options))).toThrow(message)
})

it('refuses a user without a password and a password that is none, without showing it', () => {
  const { user: _, ...withoutUser } = optionsFor(25)
  expect(() => mail(withoutUser)).toThrow('mail: user is missing')
  const refuse = (): unknown => mail(optionsFor(25, { password: 'hunter2\r\n' }))
  expect(refuse).toThrow('mail: password')
  expect(refuse).not.toThrow(/hunter2/)
})
