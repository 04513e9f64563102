import { afterEach, describe, expect, it } from 'vitest'
import { apiKey, openReceiver, type Receiver } from '../../test/alerts/receiver.ts'
import { alertOf } from '../core/alerts/monitor/alert.ts'
import { retryAfter } from '../outgoing/retry-after.ts'
import { webhook } from './webhook.ts'

const alert = alertOf({
  ...({ id: 'a-1', status: 'firing', rule: 'dlq.any', component: 'RabbitMQ', channel: 'dlq.orders' } as const),
  ...{ at: 0, count: 1, failure: undefined, correlationIds: ['c-1'] },
})
const never = new AbortController().signal

let receiver: Receiver | undefined
afterEach(() => receiver?.close())

describe('a webhook', () => {
  it('posts the alert as JSON, with the API key and an id that is the same at every try', async () => {
    receiver = await openReceiver()
    const notifier = webhook({ url: receiver.url, apiKey })
    expect([await notifier.send(alert, never), await notifier.send(alert, never)]).toEqual([{ kind: 'sent' }, { kind: 'sent' }])
    expect(receiver.posts.map((post) => post.alert)).toEqual([alert, alert])
    expect(receiver.posts.map(({ headers }) => headers['redrive-delivery'])).toEqual(['a-1-firing', 'a-1-firing'])
  })

  it('carries the key in the header that the receiver wants', async () => {
    receiver = await openReceiver()
    const outcome = await webhook({ url: receiver.url, apiKey: `Bearer-${apiKey}`, header: 'authorization' }).send(alert, never)
    expect(outcome).toMatchObject({ kind: 'failed', why: 'The receiver answered with status 401' })
  })

  it.each([
    [500, true],
    [503, true],
    [429, true],
    [408, true],
    [401, false],
    [404, false],
    [302, false],
  ])('answered with %i: another try may help: %s', async (status, retry) => {
    receiver = await openReceiver((response) => {
      response.statusCode = status
      response.setHeader('location', 'http://127.0.0.1:1/')
    })
    expect(await webhook({ url: receiver.url, apiKey }).send(alert, never)).toMatchObject({ kind: 'failed', retry })
    expect(receiver.statuses).toEqual([status])
  })

  it('waits as long as the receiver asks', async () => {
    receiver = await openReceiver((response) => {
      response.statusCode = 429
      response.setHeader('retry-after', '7')
    })
    expect(await webhook({ url: receiver.url, apiKey }).send(alert, never)).toMatchObject({ retry: true, after: 7000 })
  })

  it('tells neither the key nor the path of the URL when it fails', async () => {
    const closed = await openReceiver()
    await closed.close()
    const notifier = webhook({ url: `${closed.url}/path-is-a-password`, apiKey })
    const told = JSON.stringify([notifier.name, await notifier.send(alert, never)])
    expect(told).toContain('ECONNREFUSED')
    expect(told).not.toMatch(/path-is-a-password|key-for/)
  })

  it('ends when it is told to, although the receiver never answers', async () => {
    receiver = await openReceiver((response) => {
      response.end = (() => response) as typeof response.end
    })
    const late = new AbortController()
    const sending = webhook({ url: receiver.url, apiKey }).send(alert, late.signal)
    late.abort()
    expect(await sending).toMatchObject({ kind: 'failed', retry: true })
  })

  it.each([
    [{ url: 'ftp://example.com/hunter2' }],
    [{ url: 'https://user:hunter2@example.com' }],
    [{ url: 'hunter2' }],
    [{ url: 'https://example.com', apiKey: 'hunter2\r\n' }],
    [{ url: 'https://example.com', apiKey: 'hunter2 ö' }],
    [{ url: 'https://example.com', header: 'x-key\r\nhunter2' }],
  ])('refuses %j without showing it', (options) => {
    expect(() => webhook(options)).toThrow(expect.objectContaining({ code: 'bad-option' }))
    expect(() => webhook(options)).not.toThrow(/hunter2/)
  })
})

it.each([
  ['120', 120_000],
  ['0', 0],
  ['99999999', 900_000],
  ['Thu, 01 Jan 1970 00:00:30 GMT', 20_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
  ['soon', undefined],
  [null, undefined],
])('retry-after: %s is %s ms from the tenth second on', (header, ms) => {
  expect(retryAfter(header, 10_000)).toBe(ms)
})
