import { describe, expect, test } from 'vitest'
import { createIssuer } from '../../src/oidc/issuer.ts'
import { loadOpenidClient, type OpenidClient } from '../../src/oidc/library.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { api, fillUp, fromOwnPage, inject, type World, world } from '../server/server.fixture.ts'
import {
  type HostileIssuer,
  hostileIssuer,
  inTwoParts,
  signed,
  signedByStranger,
  signedWithPublicKey,
  withoutAlgorithm,
  withoutSignature,
} from './hostile-issuer.ts'

interface Scene {
  readonly made: World
  readonly issuer: HostileIssuer
}

async function scene(): Promise<Scene> {
  const issuer = await hostileIssuer()
  return { issuer, made: await world({ oidc: issuer.login }) }
}

interface Begun {
  readonly cookie: string
  readonly state: string
}

/** The button, and the way to the issuer. */
async function begin({ made }: Scene, body: object = {}): Promise<Begun> {
  const answer = await inject(made.server, { method: 'POST', url: `${api}/session/oidc`, body, headers: fromOwnPage })
  expect(answer.statusCode).toBe(200)
  const { url } = answer.json() as { url: string }
  await fetch(url)
  return {
    cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '',
    state: new URL(url).searchParams.get('state') ?? '',
  }
}

function callback({ made }: Scene, search: string, cookie?: string) {
  const headers = { host: fromOwnPage['host'], 'sec-fetch-site': 'cross-site', ...(cookie !== undefined && { cookie }) }
  return inject(made.server, { method: 'GET', url: `/oidc/callback${search}`, headers })
}

async function comeBack(given: Scene): Promise<Awaited<ReturnType<typeof callback>>> {
  const { cookie, state } = await begin(given)
  return callback(given, `?code=c&state=${state}`, cookie)
}

/** Refused with a code and in words, no session, nobody made, and one row that says why. */
async function expectRefusal({ made }: Scene, answer: Awaited<ReturnType<typeof callback>>, reason: object): Promise<void> {
  expect(answer.statusCode).toBe(401)
  expect(answer.body).toMatch(/role="alert">You are not signed in\. .*<small>login-refused<\/small>/s)
  expect(String(answer.headers['set-cookie'] ?? '')).not.toMatch(/redrive=[^;]/)
  expect(await made.vault.read('listUsers', undefined)).toEqual([])
  const rows = await made.audit()
  expect(rows.map(({ actor, action, result }) => `${actor} ${action} ${result}`)).toEqual(['(nobody) session.begin denied'])
  expect(JSON.parse(rows[0]?.detail ?? '')).toEqual({ by: 'oidc', ...reason })
}

const minute = 60_000
const invalid = 'OAUTH_INVALID_RESPONSE'
const claim = (name: string): string => `OAUTH_JWT_CLAIM_COMPARISON_FAILED ${name}`

describe('case 13: an id token', () => {
  test('that is in order lets somebody in, so that the others show something', async () => {
    const given = await scene()
    const answer = await comeBack(given)
    expect([answer.statusCode, answer.headers['location']]).toEqual([303, '/'])
    expect((await given.made.vault.read('listUsers', undefined)).map(({ name }) => name)).toEqual(['oidc:mallory'])
  })

  test.each<[string, HostileIssuer['forge'], string]>([
    ['with alg none', withoutAlgorithm, 'any'],
    ['with HS256 and the public key for a secret', signedWithPublicKey, 'any'],
    ['with no signature', withoutSignature, 'any'],
    ['in two parts', inTwoParts, invalid],
    ['signed by somebody else', signedByStranger, invalid],
    ['for another audience', (claims) => signed({ ...claims, aud: 'another' }), claim('aud')],
    ['of another issuer', (claims) => signed({ ...claims, iss: 'https://evil.example' }), claim('iss')],
    ['with another nonce', (claims) => signed({ ...claims, nonce: 'another' }), claim('nonce')],
    ['without a nonce', ({ nonce: _nonce, ...claims }) => signed(claims), invalid],
    ['that has expired', (claims) => signed({ ...claims, exp: 1_700_000_000 }), 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED exp'],
    ['with the key id of a file', (claims) => signed(claims, { kid: '../../etc/passwd' }), 'any'],
    ['that names nobody', ({ sub: _sub, ...claims }) => signed(claims), invalid],
    ['that is none', () => 'garbage', invalid],
  ])('%s is refused with 401 and noted', async (_what, forge, check) => {
    const given = await scene()
    given.issuer.forge = forge
    const answer = await comeBack(given)
    await expectRefusal(given, answer, { reason: 'untrusted-answer', check: check === 'any' ? expect.any(String) : check })
  })

  test('as a bearer token is nothing that the API takes, however good it is', async () => {
    const given = await scene()
    const token = signed({ iss: given.issuer.login.issuer, aud: 'redrive', sub: 'ana', exp: 4_000_000_000, groups: ['ops'] })
    for (const bearer of [token, withoutAlgorithm({ sub: 'ana' }), signedWithPublicKey({ sub: 'ana' })]) {
      const headers = { authorization: `Bearer ${bearer}` }
      const answer = await inject(given.made.server, { method: 'GET', url: `${api}/letters`, headers })
      expect(answer.json()).toMatchObject({ status: 401, code: 'not-signed-in' })
    }
  })
})

describe('planted bug: a server that', () => {
  const twins: readonly [string, HostileIssuer['forge'], (client: OpenidClient) => Partial<OpenidClient>][] = [
    ['checks no signatures', signedByStranger, () => ({ enableNonRepudiationChecks: () => undefined })],
    [
      'expects no nonce',
      ({ nonce: _nonce, ...claims }) => signed(claims),
      ({ authorizationCodeGrant }) => ({
        authorizationCodeGrant: (config, url, { expectedNonce: _nonce, ...checks } = {}) =>
          authorizationCodeGrant(config, url, checks),
      }),
    ],
  ]

  test.each(twins)('%s lets a forger in, and is caught by the same forgery', async (_bug, forge, plant) => {
    const client = await loadOpenidClient()
    const issuer = await hostileIssuer()
    issuer.forge = forge
    const attempt = async (library: OpenidClient): Promise<string> => {
      const asked = createIssuer(library, issuer.login, systemClock)
      const { url, attempt: begun } = await asked.begin('http://localhost:7333/oidc/callback')
      await fetch(url)
      return asked.finish(begun, `?code=c&state=${begun.state}`).then(
        ({ subject }) => `${subject} is in`,
        ({ code }) => code,
      )
    }
    expect(await attempt({ ...client, ...plant(client) })).toBe('mallory is in')
    expect(await attempt(client)).toBe('login-refused')
  })

  test('expects no state lets a foreign callback in, and is caught by the same callback', async () => {
    const client = await loadOpenidClient()
    const issuer = await hostileIssuer()
    const { authorizationCodeGrant } = client
    const attempt = async (library: OpenidClient): Promise<string> => {
      const asked = createIssuer(library, issuer.login, systemClock)
      const { url, attempt: begun } = await asked.begin('http://localhost:7333/oidc/callback')
      await fetch(url)
      return asked.finish(begun, '?code=c&state=of-somebody-else').then(
        ({ subject }) => `${subject} is in`,
        ({ code }) => code,
      )
    }
    const careless: OpenidClient = {
      ...client,
      authorizationCodeGrant: (config, url, checks) =>
        authorizationCodeGrant(config, url, { ...checks, expectedState: client.skipStateCheck }),
    }
    expect(await attempt(careless)).toBe('mallory is in')
    expect(await attempt(client)).toBe('login-refused')
  })
})

describe('whoever comes back', () => {
  test('without having begun is refused, and no code is brought to the issuer', async () => {
    const given = await scene()
    const { state } = await begin(given)
    await expectRefusal(given, await callback(given, `?code=c&state=${state}`), { reason: 'no-attempt' })
    expect(given.issuer.codes()).toBe(0)
  })

  test.each([
    ['no state', '?code=c', invalid],
    ['the state of somebody else', '?code=c&state=of-somebody-else', invalid],
    ['an error and the state of somebody else', '?error=access_denied&state=of-somebody-else', invalid],
    ['nothing at all', '', invalid],
  ])('with %s is refused, and no code is brought to the issuer', async (_what, search, check) => {
    const given = await scene()
    const { cookie } = await begin(given)
    await expectRefusal(given, await callback(given, search, cookie), { reason: 'untrusted-answer', check })
    expect(given.issuer.codes()).toBe(0)
  })

  test('with two states is refused', async () => {
    const given = await scene()
    const { cookie, state } = await begin(given)
    const answer = await callback(given, `?code=c&state=${state}&state=other`, cookie)
    await expectRefusal(given, answer, { reason: 'untrusted-answer', check: invalid })
  })

  test.each([
    ['access_denied', 'access_denied'],
    ['<script>alert(1)</script>', 'other'],
  ])('with error=%s is refused, and what strangers write is not written down', async (error, noted) => {
    const given = await scene()
    const { cookie, state } = await begin(given)
    const search = `?${new URLSearchParams({ error, error_description: '<b>mind this</b>', state })}`
    const answer = await callback(given, search, cookie)
    await expectRefusal(given, answer, { reason: 'issuer-refused', error: noted })
    expect(answer.body).not.toMatch(/<script|mind this/)
  })

  test('with a code that the issuer does not take is refused', async () => {
    const given = await scene()
    given.issuer.tokenAnswer = { status: 400, body: { error: 'invalid_grant' } }
    await expectRefusal(given, await comeBack(given), { reason: 'code-refused', error: 'invalid_grant' })
  })

  test('to a server that the issuer does not know is told so', async () => {
    const given = await scene()
    given.issuer.tokenAnswer = { status: 401, body: { error: 'invalid_client' } }
    await expectRefusal(given, await comeBack(given), { reason: 'client-refused', error: 'invalid_client' })
  })

  test('after ten minutes has to begin again', async () => {
    const given = await scene()
    const { cookie, state } = await begin(given)
    await given.made.clock.advance(10 * minute)
    await expectRefusal(given, await callback(given, `?code=c&state=${state}`, cookie), { reason: 'no-attempt' })
  })

  test('with an attempt that they wrote themselves, or that is of another server, has to begin again', async () => {
    const given = await scene()
    const other = await scene()
    const foreign = await begin(other)
    const own = Buffer.from(JSON.stringify({ state: 's', until: Number.MAX_SAFE_INTEGER })).toString('base64url')
    const [name = ''] = foreign.cookie.split('=')
    const others = await world({ oidc: { ...given.issuer.login, clientSecret: 'another secret' } })
    for (const cookie of [foreign.cookie, `${name}=${own}`, `${name}=`]) {
      const search = `?code=c&state=${foreign.state}`
      const answer = await callback({ ...given, made: others }, search, cookie)
      expect(answer.statusCode).toBe(401)
    }
    const reasons = (await others.audit()).map(({ detail }) => JSON.parse(detail).reason)
    expect(reasons).toEqual(['no-attempt', 'no-attempt', 'no-attempt'])
  })

  test('again and again is slowed down as with passwords, and only what was looked at is noted', async () => {
    const given = await scene()
    const { cookie } = await begin(given)
    const statuses = []
    for (let tries = 0; tries < 30; tries++) statuses.push((await callback(given, '?code=c&state=s', cookie)).statusCode)
    expect(statuses.slice(0, 20).every((status) => status === 401)).toBe(true)
    expect(statuses.slice(21).every((status) => status === 429)).toBe(true)
    expect((await given.made.audit()).length).toBe(21)
    await given.made.clock.advance(2 * minute)
    expect((await comeBack(given)).statusCode).toBe(303)
  })

  test('without having begun, as pictures of a foreign page do, makes nobody of the network wait', async () => {
    const given = await scene()
    for (let pictures = 0; pictures < 60; pictures++) {
      expect((await callback(given, '?code=c&state=s')).statusCode).toBe(401)
    }
    expect((await given.made.audit()).length).toBe(21)
    expect((await comeBack(given)).statusCode).toBe(303)
  })

  test('where the issuer does not know this server makes nobody of the network wait', async () => {
    const given = await scene()
    given.issuer.tokenAnswer = { status: 401, body: { error: 'invalid_client' } }
    for (let people = 0; people < 25; people++) expect((await comeBack(given)).statusCode).toBe(401)
  })

  test('case 58: is not let in where that cannot be noted', async () => {
    const given = await scene()
    fillUp(given.made.vault)
    const answer = await comeBack(given)
    expect([answer.statusCode, answer.body]).toEqual([503, expect.stringContaining('audit-failed')])
    expect(String(answer.headers['set-cookie'])).not.toMatch(/redrive=[^;]/)
  })

  test('to an issuer that has an error page is told that, and it is noted', async () => {
    const given = await scene()
    const { cookie, state } = await begin(given)
    given.issuer.tokenAnswer = { status: 503, body: {} }
    const answer = await callback(given, `?code=c&state=${state}`, cookie)
    expect(answer.statusCode).toBe(502)
    expect(answer.body).toContain('The issuer does not answer')
    expect((await given.made.audit()).map(({ result, detail }) => [result, JSON.parse(detail)])).toEqual([
      ['denied', { by: 'oidc', reason: 'unreachable' }],
    ])
  })
})

describe('whoever begins', () => {
  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'letters',
    '',
    `/${'x'.repeat(1500)}`,
  ])('is not sent on to %j afterwards', async (returnTo) => {
    const { made } = await scene()
    const answer = await inject(made.server, {
      method: 'POST',
      url: `${api}/session/oidc`,
      body: { returnTo },
      headers: fromOwnPage,
    })
    expect(answer.json()).toMatchObject({ status: 400, code: 'bad-request' })
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('gets an attempt that no script reads and that is over in ten minutes', async () => {
    const { issuer } = await scene()
    const made = await world({ oidc: issuer.login, behindProxy: true, publicUrl: 'https://redrive.example' })
    const headers = { ...fromOwnPage, origin: 'https://redrive.example' }
    const answer = await inject(made.server, { method: 'POST', url: `${api}/session/oidc`, body: {}, headers })
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^__Host-redrive-login=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const { searchParams } = new URL((answer.json() as { url: string }).url)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      ...{ redirect_uri: 'https://redrive.example/oidc/callback', response_type: 'code', client_id: 'redrive' },
      ...{ code_challenge_method: 'S256', code_challenge: expect.stringMatching(/^[\w-]{43}$/) },
      ...{ state: expect.stringMatching(/^[\w-]{43}$/), nonce: expect.stringMatching(/^[\w-]{43}$/) },
    })
  })

  test('from a page of another site is refused', async () => {
    const { made } = await scene()
    const headers = { ...fromOwnPage, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const answer = await inject(made.server, { method: 'POST', url: `${api}/session/oidc`, body: {}, headers })
    expect(answer.json()).toMatchObject({ code: 'cross-site' })
  })

  test('by another name of this server chooses no address for the issuer to send people to', async () => {
    const { made } = await scene()
    const headers = { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' }
    const answer = await inject(made.server, { method: 'POST', url: `${api}/session/oidc`, body: {}, headers })
    expect(answer.json()).toMatchObject({ status: 400, detail: expect.stringContaining('publicUrl') })
  })

  test('is not sent to an issuer whose document is of another one', async () => {
    const { made, issuer } = await scene()
    Object.assign(issuer.metadata, { issuer: 'http://127.0.0.1:1/other' })
    const begun = await inject(made.server, { method: 'POST', url: `${api}/session/oidc`, body: {}, headers: fromOwnPage })
    expect(begun.json()).toMatchObject({ status: 401, code: 'login-refused' })
  })

  test('brings no code and no secret in clear to another machine, although the document says so', async () => {
    const given = await scene()
    Object.assign(given.issuer.metadata, { token_endpoint: 'http://192.0.2.1/token' })
    const answer = await comeBack(given)
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain('The issuer names an address without TLS.')
    expect(given.issuer.codes()).toBe(0)
  })
})

describe('a server where passwords let nobody in', () => {
  test('takes none, gives no first link, and says so to the page', async () => {
    const issuer = await hostileIssuer()
    const made = await world({ oidc: issuer.login, takesPasswords: false })
    expect(await made.server.firstLink()).toBeUndefined()
    const body = { name: 'admin', password: 'correct horse battery' }
    const answer = await inject(made.server, { method: 'POST', url: `${api}/session`, body, headers: fromOwnPage })
    expect(answer.json()).toMatchObject({ status: 401, detail: expect.stringContaining('login.passwords') })
    const ways = await inject(made.server, { method: 'GET', url: `${api}/login` })
    expect(ways.json()).toEqual({ passwords: false, oidc: { name: 'Hostile' } })
    expect((await comeBack({ made, issuer })).statusCode).toBe(303)
  })
})
