import { describe, expect, test } from 'vitest'
import { api, fromOwnPage, inject, world } from './server.fixture.ts'

const password = 'correct horse battery'

function filledIn(fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = fromOwnPage) {
  return {
    method: 'POST',
    url: '/setup',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  }
}

describe('the page that a one-time link leads to', () => {
  test('sets a password without a script, and signs in', async () => {
    const { server, audit } = await world()
    const link = (await server.firstLink()) ?? ''
    const page = await inject(server, { method: 'GET', url: link })
    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('<form method="post" action="/setup">')
    expect(page.body).not.toMatch(/<script|javascript:|\son\w+=/i)
    // Looking uses nothing up.
    expect((await inject(server, { method: 'GET', url: link })).statusCode).toBe(200)

    const [, token = ''] = /name="token" value="([\w-]+)"/.exec(page.body) ?? []
    const done = await inject(server, filledIn({ token, password, again: password }))
    expect(done.statusCode).toBe(200)
    expect(done.body).toContain('signed in as <strong>admin</strong>')
    const cookie = String(done.headers['set-cookie']).split(';')[0]
    expect((await inject(server, { method: 'GET', url: `${api}/session`, headers: { cookie } })).json()).toMatchObject({
      name: 'admin',
    })
    expect(await audit()).toMatchObject([{ actor: 'admin', action: 'setup.redeem', result: 'done' }])
    expect((await inject(server, filledIn({ token, password, again: password }))).statusCode).toBe(401)
  })

  test('case 25: runs nothing, loads nothing, and sends its form to the server alone', async () => {
    const { server } = await world()
    const { headers } = await inject(server, { method: 'GET', url: '/setup?token=x' })
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store', 'referrer-policy': 'strict-origin' })
  })

  test.each([
    ['a password that is weak', { password: 'short', again: 'short' }, 422],
    ['two passwords that differ', { password, again: `${password}!` }, 422],
    ['a link that is not valid', { token: 'x', password, again: password }, 401],
  ])('says what is wrong with %s, and asks again', async (_, fields, status) => {
    const { server } = await world()
    const token = ((await server.firstLink()) ?? '').split('token=')[1] ?? ''
    const answer = await inject(server, filledIn({ token, ...fields }))
    expect(answer.statusCode).toBe(status)
    expect(answer.body).toMatch(/<p role="alert">[^<]+<\/p><form/)
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.body).not.toContain(password)
  })

  test('cases 26 and 27: what stands in its address is text', async () => {
    const { server } = await world()
    for (const attack of ['"><svg/onload=alert(1)>', '</script><script>alert(1)</script>', "'><img src=x onerror=alert(1)>"]) {
      for (const request of [
        { method: 'GET', url: `/setup?token=${encodeURIComponent(attack)}` },
        filledIn({ token: attack, password, again: password }),
      ]) {
        const { body } = await inject(server, request)
        expect(body).toContain('name="token" value="')
        expect(body).not.toContain(attack)
        expect(body).not.toMatch(/<(svg|img|script)/)
      }
    }
  })

  test('cases 21 and 22: takes no form of another site', async () => {
    const { server } = await world()
    const token = ((await server.firstLink()) ?? '').split('token=')[1] ?? ''
    for (const headers of [
      { ...fromOwnPage, 'sec-fetch-site': 'cross-site' },
      { ...fromOwnPage, origin: 'https://evil.example' },
      { ...fromOwnPage, origin: 'null' },
    ]) {
      const answer = await inject(server, filledIn({ token, password, again: password }, headers))
      expect(answer.json()).toMatchObject({ status: 403, code: 'cross-site' })
    }
  })

  test('is slowed down like every other door', async () => {
    const { server } = await world()
    const guess = () => inject(server, filledIn({ token: 'x', password, again: password }))
    const answers = []
    for (let n = 0; n < 25; n++) answers.push(await guess())
    expect(answers.at(-1)).toMatchObject({ statusCode: 429, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } })
  })
})
