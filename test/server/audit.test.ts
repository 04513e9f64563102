import { describe, expect, test } from 'vitest'
import { attempt, meddle } from '../control/vaults-under-test.ts'
import { api, fillUp, inject, secretOf, type World, world } from './server.fixture.ts'

describe('the audit trail', () => {
  test('case 56: has a row before every change and one after it, with who, where and what', async () => {
    const { person, orders, audit, clock, vault } = await world()
    const { ask } = await person({ name: 'ada' })
    await ask('POST', '/letters/discard', { selection: { letters: [orders[0]] } })
    await ask('POST', '/replays/999/start')
    expect(await audit()).toMatchObject([
      { actor: 'ada', action: 'letters.discard', object: '/letters/discard', result: 'attempted', address: '127.0.0.1' },
      { actor: 'ada', action: 'letters.discard', result: 'done' },
      { actor: 'ada', action: 'replays.start', object: '/replays/999/start', result: 'attempted' },
      { actor: 'ada', action: 'replays.start', result: 'failed' },
    ])
    const [first] = await audit()
    expect(JSON.parse(first?.detail ?? '')).toEqual({ selection: { letters: [orders[0]] } })
    const [row] = await vault.read('listAudit', { limit: 1 })
    expect(row?.at).toBe(clock.now())
  })

  test('case 47: holds nothing of a payload, a password or an edit', async () => {
    const { person, orders, audit } = await world()
    const { ask } = await person({ reveal: true })
    const { headers } = await ask('GET', `/letters/${orders[0]}`)
    await ask('GET', `/letters/${orders[0]}/content?reveal=true`)
    await ask('GET', `/letters/${orders[0]}/raw`)
    const edit = { body: { text: secretOf(1) }, headers: [['x', secretOf(1)]] }
    expect((await ask('POST', `/letters/${orders[0]}/edits`, edit, { 'if-match': String(headers.etag) })).statusCode).toBe(201)
    await ask('POST', `/letters/${orders[0]}/notes`, { text: secretOf(1) })
    await ask('PUT', '/session/password', { current: secretOf(1), password: secretOf(1) })
    const rows = await audit()
    expect(rows.length).toBeGreaterThan(8)
    expect(JSON.stringify(rows)).not.toContain('4111')
  })

  test('case 58: what cannot be noted is not done, and no payload is shown', async () => {
    const { person, orders, vault, problems } = await world()
    const { ask } = await person({ reveal: true })
    fillUp(vault)
    const discard = await ask('POST', '/letters/discard', { selection: { letters: [orders[0]] } })
    expect(discard.json()).toMatchObject({ status: 503, code: 'audit-failed' })
    expect(await vault.read('showLetter', { id: orders[0] ?? 0 })).toMatchObject({ state: 'open' })
    for (const url of [`/letters/${orders[0]}/content`, `/letters/${orders[0]}/raw`]) {
      const answer = await ask('GET', url)
      expect(answer.json()).toMatchObject({ status: 503, code: 'audit-failed' })
      expect(answer.body).not.toContain('order')
    }
    expect((await ask('GET', '/letters')).statusCode).toBe(200)
    expect(problems).toMatchObject(Array(3).fill({ code: 'audit-failed', cause: { code: 'store-full' } }))
  })

  test('case 58: a login that cannot be noted does not happen', async () => {
    const { vault, server } = await world()
    const token = ((await server.firstLink()) ?? '').split('token=')[1]
    await server.app.inject({ method: 'POST', url: '/api/v1/setup', payload: { token, password: 'correct horse battery' } })
    fillUp(vault)
    const payload = { name: 'admin', password: 'correct horse battery' }
    const answer = await server.app.inject({ method: 'POST', url: '/api/v1/session', payload })
    expect(answer.json()).toMatchObject({ status: 503, code: 'audit-failed' })
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('has a row for every look at what is not theirs, and one for each', async () => {
    const { person, orders, invoices, audit } = await world()
    const { ask } = await person({ name: 'curious', role: 'viewer', sources: ['shop/dlq.orders'] })
    const looks = [
      ['GET', `/letters/${invoices[0]}`],
      ['GET', '/letters?filter=header.x-api-key:1'],
      ['GET', '/users'],
    ] as const
    for (const [method, url] of looks) expect((await ask(method, url)).statusCode, url).toBe(403)
    expect((await ask('GET', `/letters/${orders[0]}`)).statusCode).toBe(200)
    expect(await audit()).toMatchObject([
      { actor: 'curious', action: 'letters.read', object: `/letters/${invoices[0]}`, result: 'denied' },
      { actor: 'curious', action: 'letters.read', object: '/letters', result: 'denied' },
      { actor: 'curious', action: 'users.read', object: '/users', result: 'denied' },
    ])
  })

  test('says of many letters how many they were, and who it was all the same', async () => {
    const { person, audit, server } = await world()
    const { ask } = await person()
    const { token, secret } = (await ask('POST', '/tokens', { name: 'ci', role: 'admin' })).json()
    const letters = Array.from({ length: 900 }, (_, index) => 100_000 + index)
    const headers = { authorization: `Bearer ${secret}` }
    await inject(server, { method: 'POST', url: `${api}/letters/discard`, headers, body: { selection: { letters } } })
    const row = (await audit()).find(({ action }) => action === 'letters.discard')
    expect(JSON.parse(row?.detail ?? '')).toEqual({
      selection: { letters: { count: 900, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), first: 100_000, last: 100_899 } },
      token: token.id,
    })
  })

  test('is shown by pages, the newest first', async () => {
    const { person, orders } = await world()
    const { ask } = await person()
    for (const letter of orders) await ask('POST', '/letters/discard', { selection: { letters: [letter] } })
    const first = (await ask('GET', '/audit?limit=4')).json()
    const second = (await ask('GET', `/audit?limit=4&cursor=${first.next}`)).json()
    expect([...first.rows, ...second.rows].map(({ seq }) => seq)).toEqual([6, 5, 4, 3, 2, 1])
  })
})

describe('case 57: the chain', () => {
  async function trail(): Promise<
    World & { ask: Awaited<ReturnType<World['person']>>['ask']; meddle: (sql: string) => Promise<void> }
  > {
    const made = await world()
    const { ask } = await made.person()
    for (const letter of made.orders) await ask('POST', '/letters/discard', { selection: { letters: [letter] } })
    return {
      ...made,
      ask,
      meddle: (sql) => meddle(made.file, sql),
    }
  }

  test('fits when nobody touched it', async () => {
    const { ask } = await trail()
    const verdict = (await ask('GET', '/audit/verification')).json()
    expect(verdict).toEqual({ rows: 6, head: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  test.each([
    ['a changed actor', "UPDATE audit SET actor = 'mallory' WHERE seq = 3", 3, 'changed'],
    ['a changed time', 'UPDATE audit SET at = at + 1 WHERE seq = 1', 1, 'changed'],
    ['a changed detail', "UPDATE audit SET detail = '{}' WHERE seq = 5", 5, 'changed'],
    ['a row that is gone', 'DELETE FROM audit WHERE seq = 2', 2, 'missing'],
    ['an end that is cut off', 'DELETE FROM audit WHERE seq > 4', 5, 'missing'],
    ['everything gone', 'DELETE FROM audit', 1, 'missing'],
    [
      'two rows that changed places',
      'UPDATE audit SET seq = 100 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 100',
      2,
      'changed',
    ],
    [
      'a row put at the end',
      'INSERT INTO audit SELECT 7, at, actor, address, action, object, detail, result, hash FROM audit WHERE seq = 6',
      7,
      'changed',
    ],
  ])('names the row of %s', async (_what, sql, seq, because) => {
    const { ask, meddle } = await trail()
    await meddle(sql)
    expect((await ask('GET', '/audit/verification')).json()).toMatchObject({ rows: seq - 1, bad: { seq, because } })
  })

  test('that was written anew whole is known by a hash that somebody kept elsewhere', async () => {
    const { ask, meddle, vault } = await trail()
    const { rows: seq, head: hash } = (await ask('GET', '/audit/verification')).json()
    await meddle('DELETE FROM audit; DELETE FROM audit_head')
    const forged = { at: 0, actor: 'nobody', address: '', action: 'nothing', object: '', detail: '{}', result: 'done' } as const
    for (let row = 0; row < 6; row++) await vault.write('appendAudit', forged)
    expect((await ask('GET', '/audit/verification')).json().bad).toBeUndefined()
    const compared = await ask('GET', `/audit/verification?seq=${seq}&hash=${hash}`)
    expect(compared.json().bad).toEqual({ seq: 6, because: 'not-the-one-expected' })
  })

  test('is not changed by the vault itself', async () => {
    const { file } = await trail()
    await expect(attempt(file, "UPDATE audit SET actor = 'x'")).rejects.toThrow('append-only')
    await expect(attempt(file, 'DELETE FROM audit')).rejects.toThrow('append-only')
  })
})
