import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { templateFields } from '../../src/core/alerts/formats/template.ts'
import { alertFacts, notification, resolved } from '../../src/core/alerts/notification.fixture.ts'
import { createSink, type NotifierType } from '../../src/notifiers/kinds.ts'
import type { Sink } from '../../src/notifiers/sink.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { mailPassword, mailUser, openMailbox } from './mailbox.ts'
import { openStub, type Stub } from './stub.ts'
import { openPagerDuty, openSlack, openTeams } from './vendor-stubs.ts'

const never = new AbortController().signal
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

async function open<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
  const one = await opening
  opened.push(one)
  return one
}

const sinkOf = (type: NotifierType, options: object): Sink => createSink('it', type, { ...options }, { clock: virtualClock() })
const at = ({ url, port }: Stub): object => ({ url, allowAddresses: ['127.0.0.1'], allowPorts: [port] })

/** The longest that there can be. */
const largest = notification({
  message: '漢'.repeat(600),
  alerts: Array.from({ length: 30 }, () =>
    alertFacts({ message: '"'.repeat(600), subject: { source: 's'.repeat(600), queue: 'q'.repeat(600) } }),
  ),
})

describe('docs/notifiers.md', () => {
  const page = readFileSync('docs/notifiers.md', 'utf8')

  it.each(Object.keys(templateFields))('names the field %s of templates', (field) => {
    expect(page.split('### Texts of your own')[1]).toContain(`\`${field}\``)
  })
})

describe('a notifier by mail', () => {
  it('sends what a person needs over SMTP with credentials, and the end of it below', async () => {
    const mailbox = await open(openMailbox())
    const where = { host: '127.0.0.1', port: mailbox.port, security: 'none', user: mailUser, password: mailPassword }
    const sink = sinkOf('mail', { ...where, from: 'redrive@example.com', to: 'ops@example.com' })
    expect([await sink.send(notification(), never), await sink.send(resolved(), never)]).toEqual([
      { kind: 'sent' },
      { kind: 'sent' },
    ])
    const [first, second] = mailbox.mails
    expect(first).toMatchObject({ from: 'redrive@example.com', to: ['ops@example.com'], user: mailUser })
    expect(first?.text).toContain('1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.')
    expect(first?.headers).toContain('Subject: [CRITICAL] Poison message detected in DLQ dlq.orders')
    const thread = (headers: readonly string[] = []): string | undefined => headers.find((each) => each.startsWith('In-Reply-To'))
    expect(thread(second?.headers)).toBe(thread(first?.headers))
  })

  it('is cut off when it is late, so that nothing of it arrives after what follows', async () => {
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    const mailbox = await open(openMailbox({ onData: () => resolve() }))
    const where = { host: '127.0.0.1', port: mailbox.port, security: 'none', user: mailUser, password: mailPassword }
    const late = new AbortController()
    const sending = sinkOf('mail', { ...where, from: 'a@example.com', to: 'b@example.com' }).send(notification(), late.signal)
    await begun
    late.abort()
    expect(await sending).toMatchObject({ kind: 'failed', retry: true })
  })
})

describe('a webhook', () => {
  it('gets JSON with the API key, the name of the delivery and a signature', async () => {
    const stub = await open(openStub())
    const told = notification()
    const sink = sinkOf('webhook', { ...at(stub), apiKey: 'key-1', signingSecret: 'secret-1' })
    expect(await sink.send(told, never)).toEqual({ kind: 'sent' })
    const [{ headers, raw, json } = { headers: {} as Record<string, string>, raw: '', json: undefined }] = stub.requests
    expect(json).toEqual(told)
    expect(headers).toMatchObject({ 'x-api-key': 'key-1', 'redrive-delivery': told.id })
    const signed = createHmac('sha256', 'secret-1').update(`${headers['redrive-timestamp']}.${raw}`).digest('hex')
    expect(headers['redrive-signature']).toBe(`v1=${signed}`)
  })
})

describe('receivers that check what their vendors document', () => {
  it.each([
    ['slack', openSlack, {}],
    ['teams', openTeams, {}],
    ['pagerduty', openPagerDuty, { routingKey: 'a'.repeat(32) }],
  ] as const)('%s takes the shortest and the longest, and the end', async (type, opening, options) => {
    const stub = await open(opening())
    const sink = sinkOf(type, { ...at(stub), ...options })
    for (const told of [notification(), largest, resolved()]) expect(await sink.send(told, never)).toEqual({ kind: 'sent' })
    expect(stub.requests).toHaveLength(3)
  })

  it.each([
    ['slack', openSlack],
    ['teams', openTeams],
    ['pagerduty', openPagerDuty],
  ] as const)('%s refuses what is not its format, so that this would be seen', async (_, opening) => {
    const stub = await open(opening())
    const body = JSON.stringify({ text: 'x', blocks: [{ type: 'section' }], routing_key: 'short' })
    const response = await fetch(stub.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    expect(response.status).toBe(400)
  })

  it("texts of the user's own are what people read", async () => {
    const stub = await open(openSlack())
    const sink = sinkOf('slack', { ...at(stub), title: '{{severity}} in {{queue}}', text: 'There are {{count}}.' })
    await sink.send(notification(), never)
    expect(stub.requests[0]?.json.blocks[0].text.text).toBe('CRITICAL in dlq.orders')
    expect(stub.requests[0]?.json.blocks[1].text.text).toBe('There are 3.')
  })
})
