import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { alertFacts, notification } from '../../src/core/alerts/notification.fixture.ts'
import type { Notification } from '../../src/core/alerts/notification.ts'
import { createSink, type NotifierType, notifierTypes } from '../../src/notifiers/kinds.ts'
import { signatureHeaders } from '../../src/notifiers/signature.ts'
import type { Sink } from '../../src/notifiers/sink.ts'
import { attempt } from '../../src/outgoing/attempt.ts'
import { post } from '../../src/outgoing/http-post.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { mailPassword, mailUser, openMailbox } from './mailbox.ts'
import { openStub, type Stub } from './stub.ts'

const never = new AbortController().signal
const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

const sinkOf = (type: NotifierType, options: object): Sink => createSink('it', type, { ...options }, { clock: virtualClock() })
const at = ({ url, port }: { url: string; port: number }): object => ({ url, allowAddresses: ['127.0.0.1'], allowPorts: [port] })

async function stubWith(answer?: Parameters<typeof openStub>[0]): Promise<Stub> {
  const stub = await openStub(answer)
  opened.push(stub)
  return stub
}

describe('security case 40: names that would be headers', () => {
  it.each(['x\r\nBcc: evil@example.com', 'x\r\n\r\n<html>', 'x\u0000y', 'x\u2028Bcc: evil@example.com'])(
    'a queue named %j adds no header to a mail and no recipient',
    async (queue) => {
      const mailbox = await openMailbox()
      opened.push(mailbox)
      const where = { host: '127.0.0.1', port: mailbox.port, security: 'none', user: mailUser, password: mailPassword }
      const sink = sinkOf('mail', { ...where, from: 'redrive@example.com', to: 'ops@example.com' })
      const hostile = notification({
        subject: `Poison message detected in DLQ ${queue}`,
        alerts: [alertFacts({ subject: { source: 'shop', queue } })],
      })
      await sink.send(notification(), never)
      await sink.send(hostile, never)
      const names = mailbox.mails.map(({ headers }) => headers.map((header) => header.split(':')[0]))
      expect(names[1]).toEqual(names[0])
      expect(mailbox.mails[1]?.to).toEqual(['ops@example.com'])
    },
  )
})

describe('security case 41: recipients', () => {
  it.each(['"a@evil.com> ROUTED"@ok.com', 'ops@ok.com,evil@x.com', 'ops@ökonomie.example', 'ops@ok.com\r\nBcc: evil@x.com', ''])(
    'refuses %j',
    (to) => {
      const make = (): Sink => sinkOf('mail', { host: 'smtp.example.com', from: 'a@example.com', to })
      expect(make).toThrow(expect.objectContaining({ code: 'bad-option' }))
    },
  )
})

describe('security case 42: addresses that are not on the internet', () => {
  const literal = [
    ...['http://127.0.0.1/', 'http://127.1/', 'http://0/', 'http://017700000001/', 'http://2130706433/', 'http://0x7f.1/'],
    ...['http://①②⑦.0.0.1/', 'http://127。0。0。1/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::]/'],
    ...['http://10.0.0.1/', 'http://172.16.0.1/', 'http://192.168.1.1/', 'http://100.64.0.1/', 'http://169.254.169.254/'],
    ...[
      'http://[fd00:ec2::254]/',
      'http://[64:ff9b::7f00:1]/',
      'http://[fe80::1]/',
      'http://224.0.0.1/',
      'http://[2002:7f00:1::]/',
    ],
    ...[
      'http://evil@127.0.0.1/',
      'file:///etc/passwd',
      'gopher://127.0.0.1:25/',
      'http://127.0.0.1:25/',
      'https://example.com:22/',
    ],
  ]
  it.each(literal)('refuses %s before anything is sent', (url) => {
    expect(() => sinkOf('webhook', { url })).toThrow(expect.objectContaining({ code: 'bad-option' }))
  })

  it.each(['localhost', 'localhost.'])('connects to nothing when it looks up the name %s', async (name) => {
    const stub = await stubWith()
    const sink = sinkOf('webhook', { url: `http://${name}:${stub.port}/`, allowPorts: [stub.port] })
    expect(await sink.send(notification(), never)).toMatchObject({ kind: 'failed' })
    expect(stub.requests).toEqual([])
  })

  it('says that it is the address which is refused, and a post that does not look arrives', async () => {
    const stub = await stubWith()
    const url = `http://localhost:${stub.port}/`
    const refused = { kind: 'failed', why: 'The address of the receiver is not allowed', retry: false }
    expect(await sinkOf('webhook', { url, allowPorts: [stub.port] }).send(notification(), never)).toEqual(refused)
    expect(await post({ url: new URL(url), headers: {}, body: '' }, never)).toEqual({ kind: 'sent' })
    expect(stub.requests).toHaveLength(1)
  })

  it('reads no other host out of http://good\\@127.0.0.1/', async () => {
    const stub = await stubWith()
    const sink = sinkOf('webhook', { url: `http://good.invalid\\@127.0.0.1:${stub.port}/` })
    expect(await sink.send(notification(), never)).toMatchObject({ kind: 'failed' })
    expect(stub.requests).toEqual([])
  })

  it('goes where an administrator has allowed it, and only there', async () => {
    const stub = await stubWith()
    expect(
      await sinkOf('webhook', {
        url: `http://localhost:${stub.port}/`,
        allowPorts: [stub.port],
        allowAddresses: ['127.0.0.0/8', '::1'],
      }).send(notification(), never),
    ).toEqual({ kind: 'sent' })
    expect(() => sinkOf('webhook', { ...at(stub), url: 'http://10.0.0.1/' })).toThrow(/allowAddresses/)
  })
})

describe('security case 43: redirects', () => {
  it.each(['http://127.0.0.1:1/', 'file:///etc/passwd', '/elsewhere'])('to %s is not followed', async (location) => {
    const stub = await stubWith((response) => response.writeHead(302, { location }).end())
    expect(await sinkOf('webhook', at(stub)).send(notification(), never)).toEqual({
      kind: 'failed',
      why: 'The receiver answered with status 302',
      retry: false,
    })
    expect(stub.requests).toHaveLength(1)
  })
})

describe('security case 44: answers that never end', () => {
  it('reads nothing of an answer that goes on for ever, and hangs up', async () => {
    const { promise: hungUp, resolve } = Promise.withResolvers<void>()
    const stub = await stubWith((response) => {
      response.on('close', resolve)
      response.writeHead(200)
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    expect(await sinkOf('webhook', at(stub)).send(notification(), never)).toEqual({ kind: 'sent' })
    await hungUp
  })

  it('unpacks nothing', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    const stub = await stubWith((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    expect(await sinkOf('webhook', at(stub)).send(notification(), never)).toEqual({ kind: 'sent' })
  })

  it('is cut off after 10 s when the answer comes byte by byte, or not at all', async () => {
    const { server, port } = await rawServer((socket) => void socket.write('HTTP/1.1 200 OK\r\nx-slow: '))
    const clock = virtualClock()
    const sink = sinkOf('webhook', at({ url: `http://127.0.0.1:${port}/`, port }))
    const sending = attempt((signal) => sink.send(notification(), signal), 10_000, clock)
    const [socket] = (await once(server, 'connection')) as [Socket]
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.resume()
    await clock.advance(10_000)
    expect(await sending).toEqual({ kind: 'failed', why: 'It took too long', retry: true })
    await closed
  })

  it('takes no headers without an end', async () => {
    const { port } = await rawServer((socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\n')
      for (let n = 0; n < 1000; n++) socket.write(`x-${n}: ${'y'.repeat(1000)}\r\n`)
    })
    const sink = sinkOf('webhook', at({ url: `http://127.0.0.1:${port}/`, port }))
    expect(await sink.send(notification(), never)).toMatchObject({ kind: 'failed', retry: true })
  })
})

async function rawServer(talk: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    talk(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push({
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  })
  return { server, port: (server.address() as AddressInfo).port }
}

describe('security case 45: the signature', () => {
  it('has the test vector of docs/notifiers.md', () => {
    const signed = signatureHeaders('{"version":1}', 'a secret of yours', 1_700_000_000_999)
    expect(readFileSync('docs/notifiers.md', 'utf8')).toContain(`\`${signed['redrive-signature']}\``)
    expect(signed).toEqual({
      'redrive-timestamp': '1700000000',
      'redrive-signature': 'v1=90f209050690eb6fc5a4854672975911347397a6af82a0ef846593a3e76c489f',
    })
  })

  it('fits no other time and no other body', () => {
    const signed = (body: string, now: number): string | undefined => signatureHeaders(body, 's', now)['redrive-signature']
    expect(signed('a', 1000)).not.toBe(signed('a', 2000))
    expect(signed('a', 1000)).not.toBe(signed('b', 1000))
    // Where time and body meet cannot be moved.
    expect(signed('1.a', 1000)).not.toBe(signed('a', 11_000))
  })
})

describe('security case 46: secrets of sinks', () => {
  const hidden = 'hunter2hunter2hunter2hunter2hunt'
  const options: Readonly<Record<NotifierType, object>> = {
    mail: {
      host: '127.0.0.1',
      port: 1,
      security: 'none',
      user: 'u',
      password: hidden,
      from: 'a@example.com',
      to: 'b@example.com',
    },
    webhook: { url: `http://127.0.0.1:1/${hidden}?t=${hidden}`, apiKey: hidden, signingSecret: hidden },
    slack: { url: `http://127.0.0.1:1/services/${hidden}` },
    teams: { url: `http://127.0.0.1:1/${hidden}` },
    pagerduty: { url: 'http://127.0.0.1:1/', routingKey: hidden },
    alertmanager: { url: `http://127.0.0.1:1/${hidden}`, token: hidden },
  }

  it.each(notifierTypes)('%s shows none in its name, its target or its failure', async (type) => {
    const isHttp = type !== 'mail'
    const sink = sinkOf(type, { ...options[type], ...(isHttp && { allowAddresses: ['127.0.0.1'], allowPorts: [1] }) })
    const outcome = await sink.send(notification(), never)
    expect(outcome).toMatchObject({ kind: 'failed', retry: true })
    expect(JSON.stringify([sink, outcome])).not.toContain(hidden)
  })

  it.each(notifierTypes)('%s shows none when its options are wrong', (type) => {
    const wrong: Record<string, unknown> = { ...options[type] }
    for (const name of Object.keys(wrong)) if (String(wrong[name]).includes(hidden)) wrong[name] = `${hidden}\r\n${hidden}`
    expect(() => sinkOf(type, wrong)).toThrow(expect.objectContaining({ code: 'bad-option' }))
    expect(() => sinkOf(type, wrong)).not.toThrow(hidden)
  })
})

describe('no payload leaves', () => {
  const marks = ['MARK-body', 'MARK header', 'MARK@key', 'MARK: error text', 'MARK patient Jane Doe', 'MARK 4111111111111111']

  /** Everything that an alert is made of, with marks wherever somebody could have put something. */
  function marked(): Notification {
    const [body, header, key, error, patient, card] = marks
    const dirty = {
      ...alertFacts({
        errors: [{ errorClass: `${error}`, count: 1, fingerprint: 'c1' }],
        correlationIds: [`${patient}`, `${card}`, `${key}`],
      }),
      ...{ body, headers: { patient: header }, key, error: new Error(error), stack: error },
    }
    return notification({ alerts: [dirty] })
  }

  it('through any sink, whatever stands in bodies, headers, keys and errors', async () => {
    const stub = await stubWith()
    const mailbox = await openMailbox()
    opened.push(mailbox)
    const mail = {
      host: '127.0.0.1',
      port: mailbox.port,
      security: 'none',
      user: mailUser,
      password: mailPassword,
      from: 'a@example.com',
      to: 'b@example.com',
    }
    for (const type of notifierTypes) {
      const sink = sinkOf(type, type === 'mail' ? mail : { ...at(stub), ...(type === 'pagerduty' && { routingKey: 'r' }) })
      expect(await sink.send(marked(), never)).toEqual({ kind: 'sent' })
    }
    const left = [
      ...stub.requests.map(({ raw, headers, path }) => raw + JSON.stringify(headers) + path),
      ...mailbox.mails.map(({ raw, text }) => raw + text),
    ]
    expect(left).toHaveLength(notifierTypes.length)
    for (const text of left) expect(text).not.toMatch(/MARK|4111/)
  })

  it('and a sink that told more would be seen', () => {
    const leaky = JSON.stringify({ ...marked(), body: marks[0] })
    expect(leaky).toMatch(/MARK|4111/)
  })
})
