import { describe, expect, test } from 'vitest'
import { deadLetter, keep, sourceIn } from '../control/letters.fixture.ts'
import { secretOf, world } from './server.fixture.ts'

describe('letters over HTTP', () => {
  test('are listed by pages, the newest first, without keys and payloads', async () => {
    const { person, orders, invoices } = await world()
    const { ask } = await person({ role: 'viewer' })
    const first = await ask('GET', '/letters?limit=4')
    expect(first.statusCode).toBe(200)
    const { letters, next } = first.json()
    expect(letters.map(({ id }: { id: number }) => id)).toEqual([...orders, ...invoices].toReversed().slice(0, 4))
    expect(letters[0].keyHash).toMatch(/^[0-9a-f]{16}$/)
    expect(first.body).not.toContain('customer-')
    expect(first.body).not.toContain('4111')
    const second = await ask('GET', `/letters?limit=4&cursor=${next}`)
    expect(second.json().letters).toHaveLength(2)
    expect(second.json().next).toBeUndefined()
  })

  test('are found by a filter, and a mistake in it is pointed at', async () => {
    const { person, orders } = await world()
    const { ask } = await person({ role: 'viewer' })
    const found = await ask('GET', `/letters?filter=${encodeURIComponent('source:dlq.orders')}`)
    expect(found.json().letters).toHaveLength(orders.length)
    const wrong = await ask('GET', `/letters?filter=${encodeURIComponent('sorce:x')}`)
    expect(wrong.statusCode).toBe(400)
    expect(wrong.json()).toMatchObject({ code: 'bad-filter', status: 400 })
  })

  test('show their content masked to a reader, and as it is to somebody with payload:reveal', async () => {
    const { person, orders, audit } = await world()
    const [id = 0] = orders
    const reader = await person({ role: 'reader', name: 'rea' })
    const masked = await reader.ask('GET', `/letters/${id}/content`)
    expect(masked.statusCode).toBe(200)
    expect(masked.json()).toMatchObject({ isMasked: true, key: '•••', body: { kind: 'json', value: { order: 1, card: '•••' } } })
    expect(masked.body).not.toContain(secretOf(1))
    expect((await reader.ask('GET', `/letters/${id}/content?reveal=true`)).statusCode).toBe(403)
    expect((await reader.ask('GET', `/letters/${id}/raw`)).statusCode).toBe(403)

    const revealer = await person({ role: 'reader', reveal: true, name: 'rev' })
    const plain = await revealer.ask('GET', `/letters/${id}/content?reveal=true`)
    expect(plain.json().body).toEqual({ kind: 'text', text: JSON.stringify({ order: 1, card: secretOf(1) }), isCut: false })
    expect((await audit()).map(({ actor, action, result }) => [actor, action, result])).toEqual([
      ['rea', 'payload.read', 'attempted'],
      ['rea', 'payload.read', 'done'],
      ['rea', 'payload.read', 'attempted'],
      ['rea', 'payload.read', 'denied'],
      ['rea', 'payload.download', 'denied'],
      ['rev', 'payload.read', 'attempted'],
      ['rev', 'payload.read', 'done'],
    ])
  })

  test('case 28: a raw body is an attachment that no browser runs', async () => {
    const { person, orders, vault } = await world()
    const { ask } = await person({ role: 'reader', reveal: true })
    const raw = await ask('GET', `/letters/${orders[0]}/raw`)
    expect(raw.statusCode).toBe(200)
    expect(raw.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="letter-${orders[0]}.bin"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    })
    const { body } = await vault.read('readContent', { id: orders[0] ?? 0 })
    expect(new Uint8Array(raw.rawPayload)).toEqual(body)
  })

  test('are edited only by who has seen the newest edit', async () => {
    const { person, orders } = await world()
    const { ask } = await person({ role: 'editor' })
    const url = `/letters/${orders[0]}`
    const edit = { body: { text: '{"order":1}' } }
    expect((await ask('POST', `${url}/edits`, edit)).json()).toMatchObject({ status: 428, code: 'if-match-needed' })
    const etag = String((await ask('GET', url)).headers.etag)
    const made = await ask('POST', `${url}/edits`, edit, { 'if-match': etag })
    expect(made.statusCode).toBe(201)
    const late = await ask('POST', `${url}/edits`, edit, { 'if-match': etag })
    expect(late.json()).toMatchObject({ status: 412, code: 'changed-meanwhile' })
    expect((await ask('GET', url)).json().edits).toMatchObject([{ id: made.json().id }])
  })

  test('are discarded, restored, noted, purged and erased', async () => {
    const { person, orders, vault } = await world()
    const { ask } = await person()
    const letters = [orders[0]]
    expect((await ask('POST', '/letters/discard', { selection: { letters } })).json()).toEqual({ letters: 1 })
    expect((await ask('POST', '/letters/restore', { selection: { letters } })).json()).toEqual({ letters: 1 })
    expect((await ask('POST', `/letters/${orders[0]}/notes`, { text: 'looked at it' })).statusCode).toBe(204)
    expect((await ask('GET', `/letters/${orders[0]}`)).json().notes).toMatchObject([{ text: 'looked at it' }])
    expect((await ask('POST', `/letters/${orders[0]}/erase`, { confirm: 'erase' })).statusCode).toBe(204)
    await expect(vault.read('readContent', { id: orders[0] ?? 0 })).rejects.toMatchObject({ code: 'not-found' })
    expect((await ask('POST', '/letters/purge', { selection: { letters: [orders[1]] } })).statusCode).toBe(400)
    await ask('POST', '/letters/discard', { selection: { letters: [orders[1]] } })
    const purged = await ask('POST', '/letters/purge', { selection: { letters: [orders[1]] }, confirm: 'purge' })
    expect(purged.statusCode).toBe(200)
  })

  test('case 31: text that other languages give a meaning is only text in a filter', async () => {
    const { person } = await world()
    const { ask } = await person({ role: 'viewer' })
    for (const text of ["' OR 1=1 --", '%', '_', '\\', '"', '*', '"a" OR "b*"', '(', 'NEAR(a b)']) {
      const answer = await ask('GET', `/letters?filter=${encodeURIComponent(text)}`)
      expect([200, 400], text).toContain(answer.statusCode)
    }
  })
})

test.each([
  '"(a+)+$"',
  '"^(([a-z])+.)+[A-Z]([a-z])+$"',
  '"process.exit()"',
  `"constructor.constructor('return process')()"`,
  'error:__proto__',
  'error:constructor',
  'header.__proto__:x',
])('cases 32 and 33: a filter is neither a pattern nor a program: %s', async (filter) => {
  const { person, vault } = await world()
  const { ask } = await person()
  const error = `${'a'.repeat(30)}!`
  await keep(vault, await sourceIn(vault, 'dlq.patterns'), [deadLetter({ n: 50, error })])
  const answer = await ask('GET', `/letters?filter=${encodeURIComponent(filter)}`)
  expect(answer.json()).toEqual({ letters: [] })
  expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined()
})

describe('a filter that looks into payloads', () => {
  test('is no word or phrase of its own: those are looked for in what is known about the failure alone', async () => {
    const { person } = await world()
    const viewer = await person({ role: 'viewer' })
    const found = async (filter: string) =>
      (await viewer.ask('GET', `/letters?filter=${encodeURIComponent(filter)}`)).json().letters.length
    expect(await found('declined')).toBeGreaterThan(0)
    for (const filter of ['key', '"x api key"', '"x api key key"*']) expect(await found(filter)).toBe(0)
  })

  test('needs the right to see what it looks at', async () => {
    const { person } = await world()
    const viewer = await person({ role: 'viewer' })
    const reader = await person({ role: 'reader' })
    const url = (filter: string): string => `/letters?filter=${encodeURIComponent(filter)}`
    expect((await viewer.ask('GET', url('header.x-api-key:key*'))).json()).toMatchObject({ status: 403, code: 'not-allowed' })
    expect((await reader.ask('GET', url('state:open -(body:4111 or state:sent)'))).json()).toMatchObject({ status: 403 })
    expect((await reader.ask('GET', url('header.tenant:acme'))).statusCode).toBe(200)
    const masked = await reader.ask('GET', url('-header.X-Api-Key:key*'))
    expect(masked.json()).toMatchObject({ status: 403, detail: expect.stringContaining('payload:reveal') })
    const discard = await (await person({ role: 'operator' })).ask('POST', '/letters/discard', {
      selection: { filter: 'body:4111' },
    })
    expect(discard.statusCode).toBe(403)
  })
})
