import { expect, test } from 'vitest'
import { deadLetter, keep, sourceIn } from '../control/letters.fixture.ts'
import { world } from './server.fixture.ts'

test('a cause is seen, judged, owned and noted, and who saw an older one is told', async () => {
  const { person } = await world()
  const { ask } = await person({ role: 'operator', name: 'ola' })
  const [cause] = (await ask('GET', '/causes?state=open')).json().causes
  expect(cause).toMatchObject({ total: 6, unresolved: 6, state: 'open' })
  const url = `/causes/${cause.id}`
  const seen = { 'if-match': String((await ask('GET', url)).headers.etag) }
  expect((await ask('PUT', `${url}/owner`, { owner: 'ola' }, seen)).json()).toMatchObject({ owner: 'ola' })
  const late = await ask('PUT', `${url}/judgement`, { state: 'resolved', fixedIn: '1.4.0' }, seen)
  expect(late.json()).toMatchObject({ status: 412, code: 'changed-meanwhile' })
  const judged = await ask('PUT', `${url}/judgement`, { state: 'resolved', fixedIn: '1.4.0' })
  expect(judged.json()).toMatchObject({ state: 'resolved', fixedIn: '1.4.0' })
  await ask('POST', `${url}/notes`, { text: 'mended in 1.4.0' })
  const detail = (await ask('GET', url)).json()
  expect(detail.notes).toMatchObject([{ actor: 'ola', text: 'mended in 1.4.0' }])
  expect(detail.history).toMatchObject([{ letters: 6 }])
  expect((await ask('GET', '/causes?state=open')).json().causes).toEqual([])
})

test('a replay is previewed, sealed, shown line by line and cancelled', async () => {
  const { person, orders } = await world()
  const { ask } = await person({ role: 'operator', name: 'ola' })
  const selection = { letters: orders }
  expect((await ask('POST', '/replays/preview', { selection, rate: 5 })).json()).toMatchObject({
    letters: 3,
    refused: 0,
    plan: { rate: 5, canary: { first: 1, growth: 5, tolerated: 0 }, observe: 60_000 },
    destinations: [{ destination: { connection: 'shop', channel: 'orders' }, letters: 3 }],
  })
  const sealed = (await ask('POST', '/replays', { selection, name: 'after the fix', canary: null })).json()
  expect(sealed).toMatchObject({
    replay: { state: 'sealed', actor: 'ola', letters: 3, plan: { canary: null } },
    counts: { planned: 3 },
  })
  const url = `/replays/${sealed.replay.id}`
  const first = (await ask('GET', `${url}/ledger?limit=2`)).json()
  const second = (await ask('GET', `${url}/ledger?limit=2&cursor=${first.next}`)).json()
  expect([...first.lines, ...second.lines].map(({ letter }) => letter)).toEqual(orders)
  expect((await ask('POST', `${url}/cancel`)).json()).toMatchObject({ replay: { state: 'cancelled' }, counts: { cancelled: 3 } })
  expect((await ask('POST', `${url}/start`)).json()).toMatchObject({ status: 409, code: 'conflict' })
})

test('edits are counted in a preview, and sent where the newest ones are asked for, by who may send them', async () => {
  const { person, orders } = await world()
  const [editor, operator] = [await person({ role: 'editor' }), await person({ role: 'operator' })]
  const edited = `/letters/${orders[1]}`
  for (const order of [1, 2]) {
    const { headers } = await editor.ask('GET', edited)
    const change = { body: { text: `{"order":${order}}` } }
    await editor.ask('POST', `${edited}/edits`, change, { 'if-match': String(headers.etag) })
  }
  const newest = (await editor.ask('GET', edited)).json().edits.at(-1).id
  const selection = { letters: orders }
  expect((await operator.ask('POST', '/replays/preview', { selection })).json()).toMatchObject({ letters: 3, edited: 1 })
  const asked = (edits?: object | string) => ({ selection, name: 'after the fix', ...(edits !== undefined && { edits }) })
  expect((await operator.ask('POST', '/replays', asked('newest'))).json()).toMatchObject({ status: 403, code: 'not-allowed' })
  // A seal is one over all lines of a plan with their edits.
  const sealed = async (edits?: object | string) =>
    (await editor.ask('POST', '/replays', asked(edits))).json().replay.seal as string
  const originals = await sealed()
  expect(await sealed('none')).toBe(originals)
  expect(await sealed('newest')).toBe(await sealed([{ letter: orders[1], edit: newest }]))
  expect(await sealed('newest')).not.toBe(originals)
})

test('what comes after the preview is not in the replay that is sealed from it', async () => {
  const { person, vault } = await world()
  const { ask } = await person({ role: 'operator', name: 'ola' })
  const filter = 'channel:orders'
  const seen = (await ask('POST', '/replays/preview', { selection: { filter } })).json()
  await keep(vault, await sourceIn(vault, 'dlq.orders'), [deadLetter({ n: 99 })])
  const grown = (await ask('POST', '/replays/preview', { selection: { filter } })).json()
  expect(grown.letters).toBe(seen.letters + 1)
  const sealed = await ask('POST', '/replays', { selection: { filter, before: seen.before }, name: 'as I saw it' })
  expect(sealed.json()).toMatchObject({ replay: { letters: seen.letters } })
})

test('a sealed replay is given a time by whoever could start it, and cancelled before', async () => {
  const { person, orders, clock } = await world({ needsSecondPersonAbove: 2 })
  const [maker, other] = [await person({ role: 'operator', name: 'ola' }), await person({ role: 'approver', name: 'pia' })]
  const { replay } = (await maker.ask('POST', '/replays', { selection: { letters: orders }, name: 'at night' })).json()
  const url = `/replays/${replay.id}`
  const at = clock.now() + 3_600_000
  expect((await maker.ask('POST', `${url}/schedule`, { at })).json()).toMatchObject({ status: 403, code: 'not-allowed' })
  expect((await other.ask('POST', `${url}/schedule`, { at })).json()).toMatchObject({
    replay: { state: 'scheduled', startsAt: at, scheduledBy: 'pia' },
  })
  expect((await other.ask('POST', `${url}/schedule`, { at: clock.now() })).json()).toMatchObject({
    status: 400,
    code: 'bad-option',
  })
  expect((await maker.ask('POST', `${url}/cancel`)).json()).toMatchObject({ replay: { state: 'cancelled' } })
  expect((await other.ask('POST', `${url}/schedule`, { at })).json()).toMatchObject({ status: 409, code: 'conflict' })
})
