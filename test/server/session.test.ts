import { describe, expect, test } from 'vitest'
import { api, fromOwnPage, inject, type World, world } from './server.fixture.ts'

const password = 'correct horse battery'
const minute = 60_000

async function firstAdmin({ server }: World): Promise<string> {
  const link = (await server.firstLink()) ?? ''
  const answer = await post(server, '/setup', { token: link.split('token=')[1], password })
  expect(answer.statusCode).toBe(200)
  return cookieOf(answer)
}

function post(server: World['server'], url: string, body: object, headers: Record<string, string> = {}) {
  return inject(server, { method: 'POST', url: `${api}${url}`, body, headers: { ...fromOwnPage, ...headers } })
}

function cookieOf(answer: { headers: Record<string, unknown> }): string {
  return String(answer.headers['set-cookie']).split(';')[0] ?? ''
}

async function whoIs({ server }: World, cookie: string): Promise<number> {
  return (await inject(server, { method: 'GET', url: `${api}/session`, headers: { cookie } })).statusCode
}

describe('case 5: the first start', () => {
  test('makes an admin who comes in by a link that works once', async () => {
    const made = await world()
    const link = (await made.server.firstLink()) ?? ''
    expect(link).toMatch(/^\/setup\?token=[\w-]{43}$/)
    const token = link.split('token=')[1]
    const redeemed = await post(made.server, '/setup', { token, password })
    expect(redeemed.json()).toMatchObject({ name: 'admin', role: 'admin' })
    expect(redeemed.json().rights).not.toContain('payload:reveal')
    expect((await post(made.server, '/setup', { token, password })).json()).toMatchObject({ status: 401, code: 'not-signed-in' })
    expect(await made.server.firstLink()).toBeUndefined()
  })

  test('gives another link while nobody used the first, and that one is void then', async () => {
    const made = await world()
    const first = (await made.server.firstLink()) ?? ''
    const second = (await made.server.firstLink()) ?? ''
    expect((await post(made.server, '/setup', { token: first.split('token=')[1], password })).statusCode).toBe(401)
    expect((await post(made.server, '/setup', { token: second.split('token=')[1], password })).statusCode).toBe(200)
  })

  test('gives a link for an hour', async () => {
    const made = await world()
    const token = ((await made.server.firstLink()) ?? '').split('token=')[1]
    await made.clock.advance(60 * minute)
    expect((await post(made.server, '/setup', { token, password })).statusCode).toBe(401)
  })

  test('has no password that anybody could know', async () => {
    const made = await world()
    await made.server.firstLink()
    for (const guess of ['admin', 'password', '']) {
      expect((await post(made.server, '/session', { name: 'admin', password: guess || ' ' })).statusCode).toBe(401)
    }
  })

  test.each(['short', 'password123', 'x'.repeat(257)])('takes no password that is weak: %s', async (weak) => {
    const made = await world()
    const token = ((await made.server.firstLink()) ?? '').split('token=')[1]
    expect((await post(made.server, '/setup', { token, password: weak })).json()).toMatchObject({
      status: 422,
      code: 'weak-password',
    })
    expect((await post(made.server, '/setup', { token, password })).statusCode).toBe(200)
  })
})

describe('a session', () => {
  test('case 1: a wrong password and an unknown user are answered in the same words', async () => {
    const made = await world()
    await firstAdmin(made)
    const [wrong, unknown] = [
      await post(made.server, '/session', { name: 'admin', password: 'wrong one' }),
      await post(made.server, '/session', { name: 'nobody', password: 'wrong one' }),
    ]
    expect(wrong.statusCode).toBe(401)
    expect(unknown.statusCode).toBe(401)
    expect(unknown.body).toBe(wrong.body)
    expect(Object.keys(unknown.headers)).toEqual(Object.keys(wrong.headers))
  })

  test('cases 6 and 10: is a new one at every login, and the one that was brought along is dead', async () => {
    const made = await world()
    const first = await firstAdmin(made)
    const answer = await post(made.server, '/session', { name: 'admin', password }, { cookie: first })
    const second = cookieOf(answer)
    expect(second).not.toBe(first)
    expect([await whoIs(made, first), await whoIs(made, second)]).toEqual([401, 200])
    const fixed = await post(made.server, '/session', { name: 'admin', password }, { cookie: 'redrive=chosen-by-somebody' })
    expect(cookieOf(fixed)).not.toContain('chosen-by-somebody')
    expect(await whoIs(made, 'redrive=chosen-by-somebody')).toBe(401)
  })

  test('case 7: ends with logout', async () => {
    const made = await world()
    const cookie = await firstAdmin(made)
    const out = await inject(made.server, { method: 'DELETE', url: `${api}/session`, headers: { ...fromOwnPage, cookie } })
    expect(out.statusCode).toBe(204)
    expect(await whoIs(made, cookie)).toBe(401)
  })

  test('case 7: ends with a change of the password, and goes on as a new one', async () => {
    const made = await world()
    const cookie = await firstAdmin(made)
    const change = { method: 'PUT', url: `${api}/session/password`, headers: { ...fromOwnPage, cookie } }
    const wrong = await inject(made.server, { ...change, body: { current: 'not this', password: 'another good one' } })
    expect(wrong.json()).toMatchObject({ status: 403, code: 'not-allowed' })
    const changed = await inject(made.server, { ...change, body: { current: password, password: 'another good one' } })
    expect(changed.statusCode).toBe(204)
    expect(await whoIs(made, cookie)).toBe(401)
    expect(await whoIs(made, cookieOf(changed))).toBe(200)
    expect((await post(made.server, '/session', { name: 'admin', password })).statusCode).toBe(401)
    expect((await post(made.server, '/session', { name: 'admin', password: 'another good one' })).statusCode).toBe(200)
  })

  test('a new password that is too weak is noted as failed', async () => {
    const made = await world()
    const cookie = await firstAdmin(made)
    const change = { method: 'PUT', url: `${api}/session/password`, headers: { ...fromOwnPage, cookie } }
    const weak = await inject(made.server, { ...change, body: { current: password, password: 'password' } })
    expect(weak.json()).toMatchObject({ status: 422 })
    const rows = (await made.audit()).filter(({ action }) => action === 'session.password')
    expect(rows.map(({ result }) => result)).toEqual(['attempted', 'failed'])
  })

  test.each([
    ['a role that is lowered', { role: 'viewer' }],
    ['a user who is disabled', { disabled: true }],
    ['sources that are fewer', { sources: ['shop/dlq.orders'] }],
  ])('case 7: ends with %s', async (_what, change) => {
    const made = await world()
    const admin = await firstAdmin(made)
    const { user, cookie } = await made.person({ role: 'operator' })
    expect(await whoIs(made, cookie)).toBe(200)
    const patch = { method: 'PATCH', url: `${api}/users/${user.id}`, body: change }
    const headers = { ...fromOwnPage, cookie: admin, 'if-match': `"${user.version}"` }
    expect((await inject(made.server, { ...patch, headers })).statusCode).toBe(200)
    expect(await whoIs(made, cookie)).toBe(401)
  })

  test('case 8: ends when nobody uses it, and in any case after a day’s work', async () => {
    const made = await world()
    const idle = await firstAdmin(made)
    await made.clock.advance(30 * minute)
    expect(await whoIs(made, idle)).toBe(401)
    const busy = cookieOf(await post(made.server, '/session', { name: 'admin', password }))
    for (let hours = 0; hours < 10; hours += 1 / 3) {
      expect(await whoIs(made, busy)).toBe(200)
      await made.clock.advance(20 * minute)
    }
    expect(await whoIs(made, busy)).toBe(401)
  })

  test('case 9: is a cookie that no script reads, no other site sends and no subdomain sets', async () => {
    const made = await world({ behindProxy: true })
    const token = ((await made.server.firstLink()) ?? '').split('token=')[1]
    const headers = { ...fromOwnPage, origin: 'https://localhost:7333' }
    const answer = await post(made.server, '/setup', { token, password }, headers)
    const flags = String(answer.headers['set-cookie']).split('; ').slice(1).toSorted()
    expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-redrive=[\w-]{43};/)
    expect(flags).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure'])
  })

  test('case 56: what happens at the door is in the audit trail, without what was typed for a name', async () => {
    const made = await world()
    await firstAdmin(made)
    await post(made.server, '/session', { name: 'hunter2hunter2', password: 'x' })
    await post(made.server, '/session', { name: 'admin', password: 'x' })
    await post(made.server, '/session', { name: 'admin', password })
    expect((await made.audit()).map(({ actor, action, result, address }) => [actor, action, result, address])).toEqual([
      ['admin', 'setup.redeem', 'done', '127.0.0.1'],
      ['(nobody)', 'session.begin', 'denied', '127.0.0.1'],
      ['admin', 'session.begin', 'denied', '127.0.0.1'],
      ['admin', 'session.begin', 'done', '127.0.0.1'],
    ])
  })
})

describe('guessing', () => {
  test('case 2: is slowed down from one address, and the right password works after the wait', async () => {
    const made = await world()
    await firstAdmin(made)
    let throttled: Awaited<ReturnType<typeof post>> | undefined
    for (let attempt = 1; attempt <= 10 && throttled?.statusCode !== 429; attempt++) {
      throttled = await post(made.server, '/session', { name: 'admin', password: 'wrong one' })
    }
    expect(throttled?.json()).toMatchObject({ status: 429, code: 'too-many-attempts' })
    expect((await post(made.server, '/session', { name: 'admin', password })).statusCode).toBe(429)
    await made.clock.advance(Number(throttled?.headers['retry-after']) * 1000)
    expect((await post(made.server, '/session', { name: 'admin', password })).statusCode).toBe(200)
  })

  test('case 2: a hundred at once are a hundred', async () => {
    const made = await world()
    await firstAdmin(made)
    const all = Array.from({ length: 100 }, () => post(made.server, '/session', { name: 'admin', password: 'wrong one' }))
    const answers = (await Promise.all(all)).map(({ statusCode }) => statusCode)
    expect(answers.filter((status) => status === 401).length).toBeLessThanOrEqual(6)
    expect(answers.filter((status) => status === 429).length).toBeGreaterThanOrEqual(94)
  })

  test('case 3: whoever writes another address into X-Forwarded-For is the same one', async () => {
    const made = await world()
    await firstAdmin(made)
    const statuses: number[] = []
    for (let n = 0; n < 10; n++) {
      const headers = { 'x-forwarded-for': `10.0.0.${n}` }
      statuses.push((await post(made.server, '/session', { name: 'admin', password: 'wrong one' }, headers)).statusCode)
    }
    expect(statuses).toContain(429)
  })

  test('case 3: behind a proxy the address is the one that the proxy saw', async () => {
    const made = await world({ behindProxy: true })
    const headers = { ...fromOwnPage, origin: 'https://localhost:7333', 'x-forwarded-for': '203.0.113.9, 198.51.100.7' }
    await made.server.firstLink()
    await post(made.server, '/setup', { token: 'x', password }, headers)
    expect((await made.audit()).map(({ address }) => address)).toEqual(['198.51.100.7'])
  })

  test('case 4: one password tried on many users is slowed down too', async () => {
    const made = await world()
    const statuses: number[] = []
    for (let n = 0; n < 30; n++) {
      statuses.push((await post(made.server, '/session', { name: `user-${n}`, password: 'Summer-2026!' })).statusCode)
    }
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401))
    expect(statuses).toContain(429)
  })

  test('does not become free again by signing in with an account of one’s own', async () => {
    const made = await world()
    await firstAdmin(made)
    const statuses: number[] = []
    for (let n = 0; n < 40; n++) {
      statuses.push((await post(made.server, '/session', { name: `user-${n}`, password: 'Summer-2026!' })).statusCode)
      await post(made.server, '/session', { name: 'admin', password })
    }
    expect(statuses).toContain(429)
  })
})
