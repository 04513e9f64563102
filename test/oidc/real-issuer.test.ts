import { describe, expect, test } from 'vitest'
import type { ServerOptions } from '../../src/server/server.ts'
import { api, createWorld, fromOwnPage, inject, type World, world } from '../server/server.fixture.ts'
import { type RealIssuer, type RealIssuerOptions, realIssuer } from './real-issuer.ts'
import { beginAt, signIn, whoIs } from './signing-in.ts'
import { userAgent } from './user-agent.ts'

interface Scene {
  readonly made: World
  readonly issuer: RealIssuer
  readonly address: string
}

const people = (): RealIssuerOptions['people'] => ({
  'sub-ana': { preferred_username: 'Ana', email: 'ana@shop.example', groups: ['staff', 'payments'] },
  'sub-other-ana': { preferred_username: 'ana', groups: ['payments'] },
  'sub-boss': { preferred_username: 'boss', groups: ['payments', 'redrive-admins'] },
  'sub-guest': { preferred_username: 'guest', groups: ['guests'] },
})

async function scene(given: Partial<RealIssuerOptions> = {}, options: Partial<ServerOptions> = {}): Promise<Scene> {
  const issuer = await realIssuer({ people: people(), ...given })
  const made = await world({ oidc: issuer.login, ...options })
  const address = await made.server.listen()
  issuer.registerClient([address])
  return { made, issuer, address }
}

describe('signing in with a real issuer', () => {
  test.each([
    ['asked for', false],
    ['in the token', true],
  ])('lets somebody in by their group, with claims that are %s, and to where they wanted to go', async (_how, claimsInToken) => {
    const { made, address, issuer } = await scene({ claimsInToken })
    const agent = userAgent()
    const page = await signIn(agent, address, 'sub-ana')
    expect(page.address).toBe(`${address}/letters?filter=state%3Aopen`)
    expect(await whoIs(agent, address)).toMatchObject({
      ...{ name: 'oidc:ana', role: 'operator', by: 'session', issuer: issuer.login.issuer, sources: [['shop/dlq.orders']] },
    })
    const rows = (await made.audit()).filter(({ action }) => action === 'session.begin')
    expect(rows.map(({ actor, result }) => `${actor} ${result}`)).toEqual(['oidc:ana done'])
    expect(JSON.parse(rows[0]?.detail ?? '')).toEqual({
      ...{ by: 'oidc', issuer: issuer.login.issuer, subject: 'sub-ana', group: 'payments', role: 'operator' },
    })
  })

  test('gives each their own account, by who they are and not by what they are called, and takes over nobody', async () => {
    const { made, address } = await scene()
    const local = await made.person({ name: 'ana', role: 'admin' })
    const [first, second] = [userAgent(), userAgent()]
    await signIn(first, address, 'sub-ana')
    await signIn(second, address, 'sub-other-ana')
    const names = [await whoIs(first, address), await whoIs(second, address)].map(({ name }) => name)
    expect(names).toEqual(['oidc:ana', expect.stringMatching(/^oidc:ana~[0-9a-f]{12}$/)])
    expect((await local.ask('GET', '/session')).json()).toMatchObject({ name: 'ana', role: 'admin', issuer: null })
    const taken = await local.ask('POST', '/users', { name: 'oidc:new', role: 'viewer' })
    expect(taken.statusCode).toBe(400)
  })

  test('takes the role anew at every sign-in, the first group in the list before others, and ends what was begun with another', async () => {
    const { address, issuer } = await scene()
    const before = userAgent()
    await signIn(before, address, 'sub-boss')
    expect(await whoIs(before, address)).toMatchObject({ name: 'oidc:boss', role: 'admin' })
    Object.assign(issuer.people['sub-boss'] ?? {}, { preferred_username: 'renamed', groups: ['payments'] })
    const after = userAgent()
    await signIn(after, address, 'sub-boss')
    expect(await whoIs(after, address)).toMatchObject({ name: 'oidc:boss', role: 'operator' })
    expect(await whoIs(before, address)).toMatchObject({ code: 'not-signed-in' })
  })

  test('refuses who is in no group, in words, and notes it', async () => {
    const { made, address, issuer } = await scene()
    const agent = userAgent()
    const page = await signIn(agent, address, 'sub-guest')
    expect(page.status).toBe(401)
    expect(page.text).toMatch(/role="alert">You are not signed in\. .*none of your groups.*login-refused/s)
    expect(await whoIs(agent, address)).toMatchObject({ code: 'not-signed-in' })
    expect((await made.vault.read('listUsers', undefined)).length).toBe(0)
    const [row] = (await made.audit()).filter(({ action }) => action === 'session.begin')
    expect(row).toMatchObject({ actor: '(nobody)', result: 'denied' })
    expect(JSON.parse(row?.detail ?? '')).toMatchObject({ reason: 'no-group', subject: 'sub-guest', issuer: issuer.login.issuer })
  })

  test('gives those in no group what the configuration says they get', async () => {
    const issuer = await realIssuer({ people: people() })
    const oidc = { ...issuer.login, others: { role: 'viewer', sources: ['*'], reveal: false } }
    const made = await world({ oidc })
    const address = await made.server.listen()
    issuer.registerClient([address])
    const agent = userAgent()
    await signIn(agent, address, 'sub-guest')
    expect(await whoIs(agent, address)).toMatchObject({ name: 'oidc:guest', role: 'viewer' })
  })

  test('keeps out who is disabled here, whatever the issuer says', async () => {
    const { made, address } = await scene()
    await signIn(userAgent(), address, 'sub-ana')
    const [user] = await made.vault.read('listUsers', undefined)
    const admin = await made.person({ role: 'admin' })
    await made.vault.write('setPassword', { id: admin.user.id, password: 'x' })
    await made.vault.write('changeUser', { id: user?.id ?? 0, version: user?.version ?? 0, disabled: true })
    const page = await signIn(userAgent(), address, 'sub-ana')
    expect(page.status).toBe(401)
    const row = (await made.audit()).at(-1)
    expect(row).toMatchObject({ actor: 'oidc:ana', result: 'denied' })
    expect(row?.detail).toContain('"disabled"')
  })

  test('a code works once: whoever replays the whole callback is refused', async () => {
    const { made, address } = await scene()
    const agent = userAgent()
    const start = await beginAt(agent, address)
    const cookie = [...agent.cookies(address)].map(([name, value]) => `${name}=${value}`).join('; ')
    const first = await agent.submit(await agent.open(start), { prompt: 'login', login: 'sub-ana', password: 'any' })
    const page = await agent.submit(first, { prompt: 'consent' })
    const callback = page.way.find((each) => each.includes('/oidc/callback')) ?? ''
    expect(agent.cookies(address).has('redrive-login')).toBe(false)
    expect((await fetch(callback, { redirect: 'manual' })).status).toBe(401)
    const replayed = await fetch(callback, { headers: { cookie }, redirect: 'manual' })
    expect(replayed.status).toBe(401)
    expect(replayed.headers.getSetCookie().join()).not.toMatch(/redrive=[^;]/)
    const reasons = (await made.audit()).map(({ detail }) => JSON.parse(detail).reason).filter(Boolean)
    expect(reasons).toEqual(['no-attempt', 'code-refused'])
  })

  test('who refuses at the issuer comes back refused', async () => {
    const { made, address } = await scene()
    const agent = userAgent()
    const first = await agent.open(await beginAt(agent, address))
    const [, abort = ''] = /href="([^"]+\/abort)"/.exec(first.text) ?? []
    const page = await agent.open(new URL(abort, first.address).href)
    expect([page.status, page.address.startsWith(`${address}/oidc/callback?`)]).toEqual([401, true])
    expect(JSON.parse((await made.audit()).at(-1)?.detail ?? '')).toEqual({
      ...{ by: 'oidc', reason: 'issuer-refused', error: 'access_denied' },
    })
  })

  test('signing out ends the session here, and leads to the issuer and back', async () => {
    const { address, issuer } = await scene()
    const agent = userAgent()
    await signIn(agent, address, 'sub-ana')
    const cookie = agent.cookies(address).get('redrive') ?? ''
    const left = (await (await agent.ask('DELETE', `${address}${api}/session`)).json()) as { signOutAt: string }
    expect(left.signOutAt).toMatch(new RegExp(`^${issuer.login.issuer}/`))
    const dead = await fetch(`${address}${api}/session`, { headers: { cookie: `redrive=${cookie}` } })
    expect(dead.status).toBe(401)
    const back = await agent.submit(await agent.open(left.signOutAt), { logout: 'yes' })
    expect(back.way).toContain(`${address}/`)
    // The issuer has forgotten them: it asks who they are again.
    expect((await agent.open(await beginAt(agent, address))).text).toContain('name="login"')
  })

  test('cases 6 and 10: a session that was brought along is dead, and another one is begun', async () => {
    const { made, address } = await scene()
    const { cookie } = await made.person({ role: 'viewer' })
    const agent = userAgent()
    const first = await agent.submit(await agent.open(await beginAt(agent, address)), {
      prompt: 'login',
      login: 'sub-ana',
      password: 'any',
    })
    const callback = await callbackAfterConsent(agent, first)
    const login = `redrive-login=${agent.cookies(address).get('redrive-login')}`
    const answer = await fetch(callback, { headers: { cookie: `${login}; ${cookie}` }, redirect: 'manual' })
    expect(answer.status).toBe(303)
    expect(answer.headers.getSetCookie().join()).toMatch(/redrive=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict/)
    expect(answer.headers.getSetCookie().join()).not.toContain(cookie)
    expect((await inject(made.server, { method: 'GET', url: `${api}/session`, headers: { cookie } })).statusCode).toBe(401)
  })

  test('what one control plane began, another one finishes', async () => {
    const issuer = await realIssuer({ people: people() })
    const made = await world({ oidc: issuer.login })
    const publicUrl = await made.server.listen()
    const others = await createWorld({ oidc: issuer.login, publicUrl })
    try {
      issuer.registerClient([publicUrl])
      const begun = await inject(others.server, {
        method: 'POST',
        url: `${api}/session/oidc`,
        body: {},
        headers: { ...fromOwnPage, origin: publicUrl },
      })
      const agent = userAgent()
      const first = await agent.submit(await agent.open(begun.json().url), { prompt: 'login', login: 'sub-ana', password: 'any' })
      const callback = await callbackAfterConsent(agent, first)
      const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? ''
      const answer = await fetch(callback, { headers: { cookie }, redirect: 'manual' })
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    } finally {
      await others.close()
    }
  })
})

describe('somebody whom an issuer knows', () => {
  test('has no password here, and is given none', async () => {
    const { made, address } = await scene()
    const agent = userAgent()
    await signIn(agent, address, 'sub-ana')
    const [user] = await made.vault.read('listUsers', undefined)
    const admin = await made.person({ role: 'admin' })
    expect((await admin.ask('POST', `/users/${user?.id}/link`)).json()).toMatchObject({ status: 409, code: 'conflict' })
    const change = await admin.ask('PATCH', `/users/${user?.id}`, { role: 'viewer' }, { 'if-match': `"${user?.version}"` })
    expect(change.json()).toMatchObject({ status: 409, detail: expect.stringContaining('groups') })
    // Not even one that somebody wrote into the vault.
    const known = await made.server.firstLink()
    const token = known?.split('token=')[1]
    const body = { token, password: 'correct horse battery' }
    await inject(made.server, { method: 'POST', url: `${api}/setup`, body, headers: fromOwnPage })
    const kept = await made.vault.read('findCredentials', { name: 'admin' })
    await made.vault.write('setPassword', { id: user?.id ?? 0, password: kept?.password ?? '' })
    const guess = { name: 'oidc:ana', password: 'correct horse battery' }
    const refused = await inject(made.server, { method: 'POST', url: `${api}/session`, body: guess, headers: fromOwnPage })
    expect(refused.statusCode).toBe(401)
  })

  test('has tokens that rest when they have not signed in for 30 days, and work again when they have', async () => {
    const { made, address } = await scene()
    const agent = userAgent()
    await signIn(agent, address, 'sub-ana')
    const issued = await agent.ask('POST', `${address}${api}/tokens`, {
      name: 'x',
      role: 'viewer',
      sources: ['shop/dlq.orders'],
      days: 90,
    })
    const { secret } = (await issued.json()) as { secret: string }
    const status = async (): Promise<number> =>
      (await fetch(`${address}${api}/letters`, { headers: { authorization: `Bearer ${secret}` } })).status
    expect(await status()).toBe(200)
    await made.clock.advance(31 * 24 * 3_600_000)
    expect(await status()).toBe(401)
    await signIn(userAgent(), address, 'sub-ana')
    expect(await status()).toBe(200)
  })

  test('is signed out, and their tokens rest, when the issuer gives them nothing any more, until it does again', async () => {
    const { made, address, issuer } = await scene()
    const agent = userAgent()
    await signIn(agent, address, 'sub-ana')
    const wanted = { name: 'x', role: 'viewer', sources: ['shop/dlq.orders'] }
    const { secret } = (await (await agent.ask('POST', `${address}${api}/tokens`, wanted)).json()) as { secret: string }
    const status = async (): Promise<number> =>
      (await fetch(`${address}${api}/letters`, { headers: { authorization: `Bearer ${secret}` } })).status
    Object.assign(issuer.people['sub-ana'] ?? {}, { groups: ['staff'] })
    expect((await signIn(userAgent(), address, 'sub-ana')).status).toBe(401)
    expect(await whoIs(agent, address)).toMatchObject({ code: 'not-signed-in' })
    expect(await status()).toBe(401)
    expect((await made.audit()).at(-1)).toMatchObject({ actor: 'oidc:ana', action: 'session.begin', result: 'denied' })
    Object.assign(issuer.people['sub-ana'] ?? {}, { groups: ['payments'] })
    await signIn(userAgent(), address, 'sub-ana')
    expect(await status()).toBe(200)
  })
})

async function callbackAfterConsent(
  agent: ReturnType<typeof userAgent>,
  page: Awaited<ReturnType<typeof signIn>>,
): Promise<string> {
  const [, action = ''] = /<form[^>]*action="([^"]+)"/.exec(page.text) ?? []
  let next = new URL(action, page.address).href
  let method = 'POST'
  for (let hops = 0; hops < 10 && !next.includes('/oidc/callback'); hops++) {
    const cookie = [...agent.cookies(next)].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(next, {
      method,
      headers,
      redirect: 'manual',
      ...(method === 'POST' && { body: 'prompt=consent' }),
    })
    next = new URL(answer.headers.get('location') ?? '', next).href
    method = 'GET'
  }
  return next
}
