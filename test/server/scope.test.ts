import { describe, expect, test } from 'vitest'
import { deadLetter, keep, sourceIn } from '../control/letters.fixture.ts'
import { api, inject, world } from './server.fixture.ts'

const ofOrders = { sources: ['shop/dlq.orders'] }
const ids = (letters: readonly { id: number }[]): number[] => letters.map(({ id }) => id)

describe('somebody who was given some sources', () => {
  test('sees the letters of those and of no others', async () => {
    const { person, orders, invoices } = await world()
    const { ask } = await person({ role: 'operator', ...ofOrders })
    expect(ids((await ask('GET', '/letters')).json().letters).toSorted()).toEqual(orders)
    expect((await ask('GET', `/letters/${orders[0]}`)).statusCode).toBe(200)
    expect((await ask('GET', `/letters/${invoices[0]}`)).json()).toMatchObject({ status: 403, code: 'not-allowed' })
    expect((await ask('GET', `/letters/${invoices[0]}/content`)).statusCode).toBe(403)
    expect((await ask('GET', '/sources')).json().sources).toMatchObject([{ channel: 'dlq.orders' }])
  })

  test('case 19: pages and timelines hold nothing of the others', async () => {
    const { person, orders } = await world()
    const { ask } = await person({ role: 'viewer', ...ofOrders })
    const first = (await ask('GET', '/letters?limit=2')).json()
    const second = (await ask('GET', `/letters?limit=2&cursor=${first.next}`)).json()
    expect(ids([...second.letters, ...first.letters].toSorted((one, other) => one.id - other.id))).toEqual(orders)
    expect(second.next).toBeUndefined()
    const { events } = (await ask('GET', '/trace?correlationId=c-1')).json()
    expect(events.map(({ letter }: { letter: { id: number } }) => letter.id)).toEqual([orders[0]])
  })

  test('gets pages that are as long as anybody’s, however many letters of others lie between theirs', async () => {
    const { person, vault } = await world()
    const [clicks, refunds] = [await sourceIn(vault, 'dlq.clicks'), await sourceIn(vault, 'dlq.refunds')]
    const own: number[] = []
    for (let n = 0; n < 30; n += 3) {
      const crowd = [10 + n, 11 + n].map((each) => deadLetter({ n: each, type: 'ClickError', error: `click ${'x'.repeat(n)}` }))
      await keep(vault, clicks, crowd)
      own.push(...(await keep(vault, refunds, [deadLetter({ n: 12 + n, type: 'RefundError', error: 'no such refund' })])))
    }
    const { ask } = await person({ role: 'operator', sources: ['shop/dlq.refunds'] })
    const seen: number[] = []
    const lengths: number[] = []
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const { letters, next } = (await ask('GET', `/letters?limit=4${cursor ? `&cursor=${cursor}` : ''}`)).json()
      lengths.push(letters.length)
      seen.push(...ids(letters))
      cursor = next
    }
    expect(lengths).toEqual([4, 4, 2])
    expect(seen).toEqual(own.toReversed())
    expect(ids((await ask('GET', '/letters?filter=refund&limit=3')).json().letters)).toEqual(own.toReversed().slice(0, 3))
    const { causes, next } = (await ask('GET', '/causes?limit=1')).json()
    expect([causes.length, next]).toEqual([1, undefined])
    const preview = (await ask('POST', '/replays/preview', { selection: { filter: 'state:open' } })).json()
    expect(preview).toMatchObject({ letters: own.length })
  })

  test('case 16: a mixed selection is refused whole, and nothing of it happens', async () => {
    const { person, orders, invoices, vault } = await world()
    const { ask } = await person({ role: 'operator', name: 'ola', ...ofOrders })
    const selection = { letters: [...orders, invoices[0]] }
    for (const url of ['/letters/discard', '/letters/restore', '/replays/preview']) {
      expect((await ask('POST', url, { selection })).statusCode, url).toBe(403)
    }
    expect((await ask('POST', '/replays', { selection, name: 'x' })).statusCode).toBe(403)
    expect((await ask('POST', '/letters/decide-unknown', { ...selection, verdict: 'open' })).statusCode).toBe(403)
    for (const id of [...orders, ...invoices]) expect(await vault.read('showLetter', { id })).toMatchObject({ state: 'open' })
    expect(await vault.read('listReplays', { limit: 10 })).toEqual([])
  })

  test('sees the causes of those letters, and judges none', async () => {
    const { person, vault } = await world()
    const source = await sourceIn(vault, 'dlq.refunds')
    await keep(vault, source, [deadLetter({ n: 9, type: 'RefundError', error: 'no such refund' })])
    const all = (await (await person()).ask('GET', '/causes')).json().causes
    expect(all).toHaveLength(2)
    const { ask } = await person({ role: 'operator', ...ofOrders })
    const { causes } = (await ask('GET', '/causes')).json()
    expect(ids(causes)).toEqual([1])
    expect((await ask('GET', '/causes/1')).statusCode).toBe(200)
    expect((await ask('GET', '/causes/2')).json()).toMatchObject({ status: 403, code: 'not-allowed' })
    expect((await ask('PUT', '/causes/1/judgement', { state: 'resolved' })).json()).toMatchObject({ status: 403 })
    expect((await ask('POST', '/causes/1/notes', { text: 'x' })).statusCode).toBe(403)
    expect((await ask('POST', '/causes/1/merge', { causes: [2], reason: 'x' })).statusCode).toBe(403)
    expect((await ask('POST', '/causes/1/split', { rule: 'service:x', reason: 'x' })).statusCode).toBe(403)
    expect((await ask('POST', '/cause-decisions/1/undo', { reason: 'x' })).statusCode).toBe(403)
  })

  test('sees of what stands under a cause, and of what was said about it, what has letters of theirs', async () => {
    const { person, vault } = await world()
    const [orders, refunds] = [await sourceIn(vault, 'dlq.orders'), await sourceIn(vault, 'dlq.refunds')]
    await keep(vault, orders, [deadLetter({ n: 101, error: 'le coffre est clos' })])
    await keep(vault, refunds, [
      deadLetter({ n: 102, error: 'der Tresor ist zu' }),
      deadLetter({ n: 103, error: 'la caja no abre' }),
    ])
    const causes = await vault.read('listCauses', { limit: 10 })
    const named = (word: string) => causes.find(({ title }) => title.includes(word))?.id ?? 0
    const [coffre, tresor, caja] = [named('coffre'), named('Tresor'), named('caja')]
    const admin = await person()
    for (const cause of [tresor, caja]) await admin.ask('POST', `/causes/${cause}/notes`, { text: `about ${cause}` })
    await admin.ask('POST', `/causes/${caja}/merge`, { causes: [tresor], reason: 'one safe' })
    await admin.ask('POST', '/causes/1/merge', { causes: [coffre, caja], reason: 'the same bank' })
    const seenBy = async (sources: readonly string[]) => {
      const { members, decisions, notes } = (await (await person({ role: 'viewer', sources })).ask('GET', '/causes/1')).json()
      const said = decisions.map(({ cause, target }: { cause: number; target: number }) => [cause, target])
      return { members: ids(members), said, notes: notes.map(({ cause }: { cause: number }) => cause) }
    }
    const merged = [
      [caja, 1],
      [coffre, 1],
    ]
    const all = { members: [coffre, tresor, caja], said: [...merged, [tresor, caja]], notes: [tresor, caja] }
    const sorted = ({ members, ...rest }: typeof all) => ({ ...rest, members: members.toSorted((one, other) => one - other) })
    expect(sorted(await seenBy(['*']))).toEqual(sorted(all))
    expect(await seenBy(['shop/dlq.orders'])).toEqual({ members: [coffre], said: [[coffre, 1]], notes: [] })
    expect(sorted(await seenBy(['shop/dlq.orders', 'shop/dlq.refunds']))).toEqual(sorted(all))
  })

  test('means their own letters by a filter', async () => {
    const { person, orders, invoices, vault } = await world()
    const { ask } = await person({ role: 'operator', ...ofOrders })
    expect((await ask('POST', '/letters/discard', { selection: { filter: 'state:open' } })).json()).toEqual({
      letters: orders.length,
    })
    expect(await vault.read('showLetter', { id: invoices[0] ?? 0 })).toMatchObject({ state: 'open' })
  })

  test('case 17: sends letters nowhere else than where they were given', async () => {
    const { person, orders } = await world()
    const { ask } = await person({ role: 'operator', sources: ['shop/dlq.orders', 'shop/orders*'] })
    const plan = (channel: string): object => ({ selection: { letters: orders }, destination: { connection: 'shop', channel } })
    expect((await ask('POST', '/replays/preview', plan('payments'))).json()).toMatchObject({ status: 403 })
    expect((await ask('POST', '/replays/preview', plan('orders.again'))).statusCode).toBe(200)
  })

  test('sends nothing to an exchange, from where it may reach anybody', async () => {
    const { person, orders } = await world()
    const { ask } = await person({ role: 'operator', ...ofOrders })
    const plan = { selection: { letters: orders }, toOrigin: true }
    expect((await ask('POST', '/replays/preview', plan)).json()).toMatchObject({ status: 403, code: 'not-allowed' })
    expect((await ask('POST', '/replays', { ...plan, name: 'x' })).statusCode).toBe(403)
    const admin = await person()
    expect((await admin.ask('POST', '/replays/preview', plan)).json()).toMatchObject({ refused: orders.length })
    const both = { ...plan, destination: { connection: 'shop', channel: 'orders' } }
    expect((await admin.ask('POST', '/replays/preview', both)).json()).toMatchObject({ code: 'bad-option' })
  })

  test('sees and steers only the replays that they made', async () => {
    const { person, orders, invoices } = await world()
    const admin = await person()
    const { ask } = await person({ role: 'operator', ...ofOrders })
    const seal = (asker: typeof ask, letters: readonly number[]) =>
      asker('POST', '/replays', { selection: { letters }, name: 'x' })
    const foreign = (await seal(admin.ask, invoices)).json().replay.id
    const own = (await seal(ask, orders)).json().replay.id
    expect(ids((await ask('GET', '/replays')).json().replays)).toEqual([own])
    expect((await ask('GET', `/replays/${own}/ledger`)).json().lines).toHaveLength(orders.length)
    for (const url of [`/replays/${foreign}`, `/replays/${foreign}/ledger`]) expect((await ask('GET', url)).statusCode).toBe(403)
    expect((await ask('POST', `/replays/${foreign}/cancel`)).statusCode).toBe(403)
  })

  test('has nothing to do with replays of their name whose letters, or where they go, are not theirs', async () => {
    const { person, server, vault, orders, invoices } = await world()
    await vault.write('setPassword', { id: (await person()).user.id, password: 'x' })
    const { ask, user } = await person({ name: 'ola', role: 'operator', sources: ['shop/*'] })
    const seal = async (letters: readonly number[], wishes: object = {}): Promise<number> =>
      (await ask('POST', '/replays', { selection: { letters }, name: 'x', ...wishes })).json().replay.id
    const withToken = async (sources: readonly string[]): Promise<typeof ask> => {
      const { secret } = (await ask('POST', '/tokens', { name: 'ci', role: 'operator', sources })).json()
      const headers = { authorization: `Bearer ${secret}` }
      return (method, url) => inject(server, { method, url: `${api}${url}`, headers })
    }
    const own = await seal(orders)
    const foreign = await seal(invoices)
    const elsewhere = await seal(orders, { destination: { connection: 'shop', channel: 'payments' } })
    const again = await seal(orders.slice(1))
    const [few, all] = [await withToken(['shop/dlq.orders']), await withToken(['shop/*'])]
    expect(ids((await all('GET', '/replays')).json().replays)).toEqual([again, elsewhere, foreign, own])
    expect(ids((await few('GET', '/replays')).json().replays)).toEqual([again, own])
    const { replays, next } = (await few('GET', '/replays?limit=1')).json()
    expect(ids((await few('GET', `/replays?limit=1&cursor=${next}`)).json().replays)).toEqual([own])
    expect(ids(replays)).toEqual([again])
    for (const id of [foreign, elsewhere]) {
      for (const url of [`/replays/${id}`, `/replays/${id}/ledger`]) expect((await few('GET', url)).statusCode, url).toBe(403)
      for (const verb of ['start', 'pause', 'resume', 'cancel']) {
        expect((await few('POST', `/replays/${id}/${verb}`)).statusCode, verb).toBe(403)
      }
    }
    expect((await few('GET', `/replays/${own}/ledger`)).json().lines).toHaveLength(orders.length)
    await vault.write('changeUser', { id: user.id, version: user.version, sources: ['shop/dlq.orders'] })
    expect(ids((await all('GET', '/replays')).json().replays)).toEqual([again, own])
    expect((await all('POST', `/replays/${foreign}/cancel`)).statusCode).toBe(403)
    expect((await all('POST', `/replays/${own}/cancel`)).statusCode).toBe(200)
  })
})

describe('a second person', () => {
  test('starts a replay of more letters than one person may start', async () => {
    const { person, orders } = await world({ needsSecondPersonAbove: 1 })
    const operator = await person({ role: 'operator' })
    const approver = await person({ role: 'approver' })
    const seal = async (letters: readonly number[]): Promise<number> =>
      (await operator.ask('POST', '/replays', { selection: { letters }, name: 'x' })).json().replay.id
    const [few, many] = [await seal(orders.slice(0, 1)), await seal(orders.slice(1))]
    expect((await operator.ask('POST', `/replays/${few}/start`)).statusCode).toBe(200)
    expect((await operator.ask('POST', `/replays/${many}/start`)).json()).toMatchObject({ status: 403, code: 'not-allowed' })
    expect((await approver.ask('POST', `/replays/${many}/start`)).statusCode).toBe(200)
  })

  test('starts what the first has sealed, where that is asked for', async () => {
    const { person, orders } = await world({ needsSecondPersonAbove: 0 })
    const operator = await person({ role: 'operator' })
    const admin = await person({ role: 'admin' })
    const approver = await person({ role: 'approver' })
    const seal = async (ask: typeof operator.ask, letter: number | undefined): Promise<number> =>
      (await ask('POST', '/replays', { selection: { letters: [letter] }, name: 'x' })).json().replay.id
    const [one, other] = [await seal(operator.ask, orders[0]), await seal(admin.ask, orders[1])]
    expect((await operator.ask('POST', `/replays/${one}/start`)).json()).toMatchObject({ status: 403 })
    expect((await admin.ask('POST', `/replays/${other}/start`)).json()).toMatchObject({ status: 403 })
    expect((await approver.ask('POST', `/replays/${one}/start`)).statusCode).toBe(200)
    expect((await approver.ask('POST', `/replays/${one}/start`)).json()).toMatchObject({ status: 409, code: 'conflict' })
  })
})

describe('editing', () => {
  test('is not for operators, neither by an edit of their own nor by sending somebody else’s', async () => {
    const { person, orders } = await world()
    const editor = await person({ role: 'editor' })
    const operator = await person({ role: 'operator' })
    const { headers } = await editor.ask('GET', `/letters/${orders[0]}`)
    const made = await editor.ask('POST', `/letters/${orders[0]}/edits`, { body: null }, { 'if-match': String(headers.etag) })
    const replay = { selection: { letters: [orders[0]] }, name: 'x', edits: [{ letter: orders[0], edit: made.json().id }] }
    expect((await operator.ask('POST', '/replays', replay)).json()).toMatchObject({ status: 403 })
    expect((await editor.ask('POST', '/replays', replay)).statusCode).toBe(201)
  })
})

describe('an admin', () => {
  test('is never the last one who leaves', async () => {
    const { person, vault } = await world()
    const { ask, user } = await person()
    await vault.write('setPassword', { id: user.id, password: 'x' })
    const again = await person({ name: 'again' })
    const change = { 'if-match': '"2"' }
    expect((await again.ask('PATCH', `/users/${user.id}`, { role: 'viewer' }, change)).json()).toMatchObject({ status: 409 })
    expect((await ask('GET', '/users')).statusCode).toBe(401)
    expect(await vault.read('showUser', { id: user.id })).toMatchObject({ role: 'admin', version: 2 })
  })

  test('has all sources, or is none', async () => {
    const { person } = await world()
    const { ask } = await person()
    const partial = { name: 'half', role: 'admin', sources: ['shop/*'] }
    expect((await ask('POST', '/users', partial)).json()).toMatchObject({ status: 400, code: 'bad-request' })
  })

  test('gives a link and never a password, and the user of it comes in', async () => {
    const { person, server } = await world()
    const { ask } = await person()
    const created = await ask('POST', '/users', { name: 'new.person', role: 'reader', sources: ['shop/*'] })
    expect(created.statusCode).toBe(201)
    const token = created.json().link.split('token=')[1]
    const payload = { token, password: 'correct horse battery' }
    const redeemed = await server.app.inject({ method: 'POST', url: '/api/v1/setup', payload })
    expect(redeemed.json()).toMatchObject({ name: 'new.person', role: 'reader', sources: [['shop/*']] })
  })

  test('case 18: nobody becomes more by fields that are not theirs to set', async () => {
    const { person } = await world()
    const { ask } = await person()
    const body = { name: 'x', role: 'viewer', id: 1, createdAt: 0, password: 'x' }
    expect((await ask('POST', '/users', body)).json()).toMatchObject({ status: 400, code: 'bad-request' })
  })
})
