import { describe, expect, test } from 'vitest'
import { createServer } from '../../src/server/server.ts'
import { api, fromOwnPage, inject, ownHost, world } from './server.fixture.ts'

const discard = { selection: { filter: 'id:999999' } }

describe('a request that a cookie signs', () => {
  test('cases 21 and 22: is refused unless a page of the server sent it', async () => {
    const made = await world()
    const { cookie } = await made.person({ name: 'victim' })
    const send = (headers: Record<string, string>) =>
      inject(made.server, {
        method: 'POST',
        url: `${api}/letters/discard`,
        body: discard,
        headers: { host: ownHost, cookie, ...headers },
      })
    const own = `http://${ownHost}`
    const foreign: Record<string, string>[] = [
      {},
      { origin: 'null' },
      { origin: 'https://redrive.example.evil' },
      { origin: `https://${ownHost}` },
      { origin: `${own}.evil` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-origin', origin: 'http://evil' },
      { 'sec-fetch-site': 'cross-site', origin: own },
    ]
    for (const headers of foreign) {
      expect((await send(headers)).json(), JSON.stringify(headers)).toMatchObject({ status: 403, code: 'cross-site' })
    }
    for (const headers of [{ origin: own }, { 'sec-fetch-site': 'same-origin' }, fromOwnPage]) {
      expect((await send(headers)).statusCode, JSON.stringify(headers)).toBe(200)
    }
    const denied = (await made.audit()).filter(({ result }) => result === 'denied')
    expect(denied).toHaveLength(foreign.length)
  })

  test('case 21: is JSON, and not what a form of another site can send', async () => {
    const made = await world()
    const { cookie } = await made.person()
    const send = (type: string, more: Record<string, string> = {}) =>
      inject(made.server, {
        method: 'POST',
        url: `${api}/letters/discard`,
        payload: JSON.stringify(discard),
        headers: { ...fromOwnPage, cookie, 'content-type': type, ...more },
      })
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ]) {
      expect((await send(type)).json(), type).toMatchObject({ status: 415, code: 'wrong-media-type' })
    }
    expect((await send('application/json', { 'content-encoding': 'gzip' })).json()).toMatchObject({ status: 415 })
    expect((await send('application/json; charset=utf-8')).statusCode).toBe(200)
  })

  test('a token needs no origin: no browser sends it by itself', async () => {
    const made = await world()
    const { ask } = await made.person()
    const { secret } = (await ask('POST', '/tokens', { name: 'ci', role: 'operator' })).json()
    const headers = { authorization: `Bearer ${secret}`, origin: 'https://elsewhere.example' }
    const answer = await inject(made.server, { method: 'POST', url: `${api}/letters/discard`, body: discard, headers })
    expect(answer.statusCode).toBe(200)
  })

  test('signing in from a page of another site is refused too', async () => {
    const made = await world()
    const body = { name: 'admin', password: 'x' }
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await inject(made.server, { method: 'POST', url: `${api}/session`, body, headers })
      expect(answer.json()).toMatchObject({ status: 403, code: 'cross-site' })
    }
  })

  test('behind a proxy the address that browsers see is the one that counts', async () => {
    const made = await world({ behindProxy: true, publicUrl: 'https://redrive.example/' })
    const body = { name: 'admin', password: 'x' }
    const send = (origin: string) =>
      inject(made.server, { method: 'POST', url: `${api}/session`, body, headers: { origin, host: 'internal:7333' } })
    expect((await send('https://redrive.example')).statusCode).toBe(401)
    expect((await send('https://internal:7333')).statusCode).toBe(403)
  })
})

describe('every answer', () => {
  test('cases 24 and 25: may run only what the server sends, and stands in no frame', async () => {
    const { server } = await world()
    for (const url of ['/healthz', `${api}/letters`, '/nothing']) {
      const { headers } = await inject(server, { method: 'GET', url })
      expect(headers['content-security-policy']).toBe(
        "default-src 'self';object-src 'none';base-uri 'none';frame-ancestors 'none';form-action 'self'",
      )
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      })
      expect(headers['strict-transport-security']).toBeUndefined()
    }
  })

  test('case 23: allows no other origin anything', async () => {
    const { server } = await world()
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const answer = await inject(server, { method: 'OPTIONS', url: `${api}/letters/discard`, headers })
    expect(answer.statusCode).toBe(405)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test('case 55: to a stranger says no names and no versions', async () => {
    const { server } = await world()
    for (const url of ['/healthz', '/readyz']) {
      const { body, headers } = await inject(server, { method: 'GET', url })
      expect(JSON.parse(body)).toEqual({ status: 'ok' })
      expect(headers['x-powered-by'] ?? headers['server']).toBeUndefined()
    }
  })

  test('/readyz says so when the vault does not answer', async () => {
    const { server, vault } = await world()
    await vault.close()
    const answer = await inject(server, { method: 'GET', url: '/readyz' })
    expect([answer.statusCode, answer.json()]).toEqual([503, { status: 'unavailable' }])
  })
})

describe('listening', () => {
  test.each(['0.0.0.0', '::', '192.168.1.5', 'redrive.example'])('on %s needs TLS or a proxy', async (host) => {
    const { vault } = await world()
    const start = createServer({ host, vault, controlPlane: {} as never })
    await expect(start).rejects.toMatchObject({ code: 'bad-option' })
  })

  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('on %s does not', async (host) => {
    const { server } = await world({ host })
    expect(server.routes.length).toBeGreaterThan(40)
  })

  test('case 14: a route that does not say which right it needs keeps the server from starting', async () => {
    const { server } = await world()
    const rules = server.routes.map(({ rule }) => rule.need)
    expect(rules).not.toContain(undefined)
    const { listedRoutes } = await import('../../src/server/route-rule.ts')
    expect(() => listedRoutes({ method: 'GET', url: '/forgotten', handler: () => undefined })).toThrow('/forgotten')
  })
})
