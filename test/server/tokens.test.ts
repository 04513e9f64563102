import { describe, expect, test } from 'vitest'
import { drawSecurely, drawToken, fingerprintOf, isWellFormedToken } from '../../src/server/secrets.ts'
import { everythingIn } from '../control/vaults-under-test.ts'
import { api, inject, type World, world } from './server.fixture.ts'

const day = 24 * 60 * 60_000

function withToken({ server }: World, token: string, url = '/letters', method = 'GET', body?: object) {
  return inject(server, { method, url: `${api}${url}`, headers: { authorization: `Bearer ${token}` }, ...(body && { body }) })
}

async function issue(made: World, grant: object, by: object = {}): Promise<{ secret: string; id: number }> {
  const { ask } = await made.person(by)
  const answer = await ask('POST', '/tokens', { name: 'ci', ...grant })
  expect(answer.statusCode).toBe(201)
  return { secret: answer.json().secret, id: answer.json().token.id }
}

describe('a token', () => {
  test('lets a program in, with what it was given and no more', async () => {
    const made = await world()
    const { secret } = await issue(made, { role: 'viewer', sources: ['shop/dlq.orders'] })
    expect(secret).toMatch(/^rdr_[0-9A-Za-z]{39}$/)
    expect((await withToken(made, secret)).json().letters).toHaveLength(made.orders.length)
    const discard = { selection: { letters: made.orders } }
    expect((await withToken(made, secret, '/letters/discard', 'POST', discard)).statusCode).toBe(403)
  })

  test('never may more than its user may now', async () => {
    const made = await world()
    const admin = await made.person({ name: 'boss' })
    const { ask, user } = await made.person({ role: 'operator' })
    const { secret } = (await ask('POST', '/tokens', { name: 'ci', role: 'operator' })).json()
    const discard = { selection: { letters: made.orders } }
    expect((await withToken(made, secret, '/letters/discard', 'POST', discard)).statusCode).toBe(200)
    await made.vault.write('setPassword', { id: admin.user.id, password: 'x' })
    await made.vault.write('changeUser', { id: user.id, version: 1, role: 'viewer', sources: ['shop/none'] })
    expect((await withToken(made, secret, '/letters/discard', 'POST', discard)).statusCode).toBe(403)
    expect((await withToken(made, secret)).json().letters).toEqual([])
    await made.vault.write('changeUser', { id: user.id, version: 2, disabled: true })
    expect((await withToken(made, secret)).statusCode).toBe(401)
  })

  test('cannot be given what its maker does not have, and makes no other tokens', async () => {
    const made = await world()
    const { ask } = await made.person({ role: 'operator' })
    expect((await ask('POST', '/tokens', { name: 'x', role: 'admin' })).statusCode).toBe(403)
    expect((await ask('POST', '/tokens', { name: 'x', role: 'viewer', reveal: true })).statusCode).toBe(403)
    const { secret } = await issue(made, { role: 'admin' })
    expect((await withToken(made, secret, '/tokens', 'POST', { name: 'x', role: 'admin' })).statusCode).toBe(403)
  })

  test('of an admin is for all sources: with some it would make users who have them all', async () => {
    const made = await world()
    const { ask } = await made.person()
    const answer = await ask('POST', '/tokens', { name: 'ci', role: 'admin', sources: ['shop/dlq.orders'] })
    expect(answer.json()).toMatchObject({ status: 400, code: 'bad-request' })
  })

  test('of an admin that was given some sources before that was refused makes no users and reads no audit trail', async () => {
    const made = await world()
    const { user } = await made.person()
    const secret = drawToken(drawSecurely)
    const grant = { role: 'admin', sources: ['shop/dlq.orders'], reveal: false }
    const kept = {
      hash: fingerprintOf(secret),
      last4: secret.slice(-4),
      now: made.clock.now(),
      expiresAt: made.clock.now() + day,
    }
    await made.vault.write('issueToken', { ...grant, ...kept, user: user.id, name: 'old' })
    expect((await withToken(made, secret)).json().letters).toHaveLength(made.orders.length)
    expect((await withToken(made, secret, '/audit')).statusCode).toBe(403)
    const another = { name: 'another', role: 'admin' }
    expect((await withToken(made, secret, '/users', 'POST', another)).statusCode).toBe(403)
  })

  test('case 11: is nowhere but in the answer that made it', async () => {
    const made = await world()
    const { ask } = await made.person()
    const key = { 'idempotency-key': 'once' }
    const { secret } = (await ask('POST', '/tokens', { name: 'ci', role: 'viewer' }, key)).json()
    const again = await ask('POST', '/tokens', { name: 'ci', role: 'viewer' }, key)
    expect(again.json()).toMatchObject({ status: 409, code: 'conflict' })
    const listed = await ask('GET', '/tokens')
    expect(listed.json().tokens).toMatchObject([{ name: 'ci', last4: secret.slice(-4) }])
    expect(listed.body).not.toContain(secret)
    expect(JSON.stringify(await made.audit())).not.toContain(secret)
    expect(await everythingIn(made.file)).not.toContain(secret)
  })

  test('case 12: one that is wrong in any way lets nobody in', async () => {
    const made = await world()
    const { secret, id } = await issue(made, { role: 'viewer', days: 1 })
    const changed = `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`
    const wrong = [
      changed,
      secret.slice(0, -1),
      `xyz_${secret.slice(4)}`,
      'rdr_%',
      '%',
      '',
      `${secret}x`,
      drawToken(() => new Uint8Array(24)),
    ]
    for (const token of wrong) expect((await withToken(made, token)).statusCode, token).toBe(401)
    expect(
      (await inject(made.server, { method: 'GET', url: `${api}/letters`, headers: { authorization: secret } })).statusCode,
    ).toBe(401)
    expect((await withToken(made, secret)).statusCode).toBe(200)
    await made.clock.advance(day)
    expect((await withToken(made, secret)).statusCode).toBe(401)

    const { secret: other, id: otherId } = await issue(made, { role: 'viewer' })
    expect(otherId).not.toBe(id)
    const { ask } = await made.person()
    expect((await ask('DELETE', `/tokens/${otherId}`)).statusCode).toBe(204)
    expect((await withToken(made, other)).statusCode).toBe(401)
  })

  test('is revoked by its user or an admin, and by nobody else', async () => {
    const made = await world()
    const { id } = await issue(made, { role: 'viewer' }, { role: 'operator' })
    const stranger = await made.person({ role: 'operator' })
    expect((await stranger.ask('DELETE', `/tokens/${id}`)).statusCode).toBe(404)
    expect((await stranger.ask('GET', '/tokens')).json().tokens).toEqual([])
  })

  test('has a checksum that any change of one character breaks', () => {
    const token = drawToken((bytes) => new Uint8Array(bytes).fill(7))
    expect(isWellFormedToken(token)).toBe(true)
    for (let at = 4; at < token.length; at++) {
      const other = token[at] === 'a' ? 'b' : 'a'
      expect(isWellFormedToken(`${token.slice(0, at)}${other}${token.slice(at + 1)}`)).toBe(false)
    }
  })
})
