import { describe, expect, test } from 'vitest'
import { world } from './server.fixture.ts'

const day = 24 * 60 * 60_000

describe('an Idempotency-Key', () => {
  test('gives the same answer to the same request, and does it once', async () => {
    const { person, orders, vault } = await world()
    const { ask } = await person()
    const body = { selection: { letters: orders }, name: 'again' }
    const key = { 'idempotency-key': 'k-1' }
    const first = await ask('POST', '/replays', body, key)
    const second = await ask('POST', '/replays', body, key)
    expect(first.statusCode).toBe(201)
    expect([second.statusCode, second.body]).toEqual([201, first.body])
    expect(second.headers).toMatchObject({ 'idempotency-replayed': 'true', 'content-type': first.headers['content-type'] })
    expect(await vault.read('listReplays', { limit: 10 })).toHaveLength(1)
    expect((await ask('POST', '/replays', body)).json().replay.id).not.toBe(first.json().replay.id)
  })

  test('is refused for another request', async () => {
    const { person, orders } = await world()
    const { ask } = await person()
    const key = { 'idempotency-key': 'k-1' }
    await ask('POST', '/letters/discard', { selection: { letters: [orders[0]] } }, key)
    for (const [url, letters] of [
      ['/letters/discard', [orders[1]]],
      ['/letters/restore', [orders[0]]],
    ] as const) {
      expect((await ask('POST', url, { selection: { letters } }, key)).json()).toMatchObject({ status: 422, code: 'key-reused' })
    }
  })

  test('repeats a refusal too', async () => {
    const { person } = await world()
    const { ask } = await person()
    const key = { 'idempotency-key': 'k-1' }
    const first = await ask('POST', '/replays/999/start', undefined, key)
    const second = await ask('POST', '/replays/999/start', undefined, key)
    expect([second.statusCode, second.body, second.headers['content-type']]).toEqual([
      404,
      first.body,
      first.headers['content-type'],
    ])
  })

  test('belongs to one If-Match, and its answer comes again with the tag of what was changed', async () => {
    const { person, vault } = await world()
    await vault.write('setPassword', { id: (await person()).user.id, password: 'x' })
    const { ask } = await person()
    const { user } = (await ask('POST', '/users', { name: 'ben', role: 'viewer' })).json()
    const change = (ifMatch: string, key: string) =>
      ask('PATCH', `/users/${user.id}`, { role: 'reader' }, { 'idempotency-key': key, 'if-match': ifMatch })
    expect((await change('"99"', 'k-1')).statusCode).toBe(412)
    expect((await change(`"${user.version}"`, 'k-1')).json()).toMatchObject({ status: 422, code: 'key-reused' })
    const [first, again] = [await change(`"${user.version}"`, 'k-2'), await change(`"${user.version}"`, 'k-2')]
    expect(first.headers.etag).toBe(`"${user.version + 1}"`)
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true', etag: first.headers.etag })
  })

  test('belongs to who sent it', async () => {
    const { person, orders } = await world()
    const [one, other] = [await person(), await person()]
    const key = { 'idempotency-key': 'k-1' }
    expect((await one.ask('POST', '/letters/discard', { selection: { letters: [orders[0]] } }, key)).json()).toEqual({
      letters: 1,
    })
    expect((await other.ask('POST', '/letters/discard', { selection: { letters: [orders[1]] } }, key)).json()).toEqual({
      letters: 1,
    })
  })

  test('case 54: of many requests at once lets one through', async () => {
    const { person, orders, vault } = await world()
    const { ask } = await person()
    const body = { selection: { letters: orders }, name: 'at once' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask('POST', '/replays', body, { 'idempotency-key': 'k-1' })),
    )
    for (const { statusCode } of answers) expect([201, 409]).toContain(statusCode)
    expect(answers.some(({ statusCode }) => statusCode === 201)).toBe(true)
    expect(await vault.read('listReplays', { limit: 10 })).toHaveLength(1)
  })

  test('whose request never got an answer is not done again by itself', async () => {
    const { person, orders, vault, clock } = await world()
    const { ask, user } = await person()
    const body = { selection: { letters: orders }, name: 'x' }
    const first = await ask('POST', '/replays', body, { 'idempotency-key': 'k-1' })
    expect(first.statusCode).toBe(201)
    // As it stands after a crash between the work and the answer.
    await vault.write('finishRequest', { actor: user.name, key: 'k-1', status: null as never, body: null, etag: null })
    expect((await ask('POST', '/replays', body, { 'idempotency-key': 'k-1' })).json()).toMatchObject({ status: 409 })
    expect(await vault.read('listReplays', { limit: 10 })).toHaveLength(1)
    expect(clock.now()).toBeGreaterThan(0)
  })

  test('is forgotten after a day', async () => {
    const { person, orders, clock } = await world({ session: { idle: 3 * day, absolute: 3 * day } })
    const { ask } = await person()
    const discard = (letter: number | undefined) =>
      ask('POST', '/letters/discard', { selection: { letters: [letter] } }, { 'idempotency-key': 'k-1' })
    await discard(orders[0])
    await clock.advance(day + 1)
    expect((await discard(orders[1])).json()).toEqual({ letters: 1 })
  })

  test.each(['', 'with space', 'x'.repeat(129)])('that is no key is refused: "%s"', async (key) => {
    const { person } = await world()
    const { ask } = await person()
    const answer = await ask('POST', '/letters/discard', { selection: { letters: [1] } }, { 'idempotency-key': key })
    expect(answer.json()).toMatchObject({ status: 400, code: 'bad-request' })
  })
})
