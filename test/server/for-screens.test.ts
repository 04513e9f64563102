import { expect, test } from 'vitest'
import { raise } from '../control/alerting.fixture.ts'
import { deadLetter, keep, sourceIn } from '../control/letters.fixture.ts'
import { world } from './server.fixture.ts'

test('letters are counted by a filter, and for who was given some sources among those', async () => {
  const made = await world()
  const all = await made.person()
  const some = await made.person({ role: 'operator', sources: ['shop/dlq.orders'] })
  const count = async (person: typeof all, filter: string) =>
    (await person.ask('GET', `/letters/count?filter=${encodeURIComponent(filter)}`)).json()
  expect(await count(all, '')).toMatchObject({ letters: 6, isAtLeast: false })
  expect(await count(all, 'declined')).toMatchObject({ letters: 6, isAtLeast: false })
  expect(await count(all, 'state:discarded')).toEqual({ letters: 0, isAtLeast: false, before: 1 })
  expect(await count(some, '')).toMatchObject({ letters: 3, isAtLeast: false })
  expect(await count(some, 'body:4111')).toMatchObject({ status: 403 })
  expect(await count(all, 'stat:open')).toMatchObject({ code: 'bad-filter' })
})

test('what is done to all that were counted is not done to what came since', async () => {
  const { person, vault } = await world()
  const { ask } = await person({ role: 'operator' })
  const filter = 'channel:orders'
  const address = `/letters/count?filter=${encodeURIComponent(filter)}`
  const { letters, before } = (await ask('GET', address)).json()
  await keep(vault, await sourceIn(vault, 'dlq.orders'), [deadLetter({ n: 99 })])
  expect((await ask('GET', address)).json().letters).toBe(letters + 1)
  expect((await ask('POST', '/letters/discard', { selection: { filter, before } })).json()).toEqual({ letters })
})

test('what came and what was settled is told hour by hour, to who was given all sources', async () => {
  const made = await world()
  const all = await made.person()
  const some = await made.person({ sources: ['shop/dlq.orders'], role: 'operator' })
  await all.ask('POST', '/letters/discard', { selection: { letters: made.orders.slice(0, 2) } })
  const { hours, now } = (await all.ask('GET', '/flow')).json()
  expect(hours).toEqual([{ hour: now, arrived: 6, settled: 2 }])
  expect((await some.ask('GET', '/flow')).statusCode).toBe(403)
  await made.clock.advance(25 * 3_600_000)
  const later = await made.person()
  expect((await later.ask('GET', '/flow')).json().hours).toEqual([])
  expect((await later.ask('GET', '/flow?hours=48')).json().hours).toEqual([{ hour: now, arrived: 6, settled: 2 }])
})

test('a cause comes with why its letters are one group, and with its last day', async () => {
  const { person } = await world()
  const { causes } = (await (await person()).ask('GET', '/causes')).json()
  expect(causes[0]).toMatchObject({
    parts: { type: 'Error', text: 'card declined', channel: 'orders', groupedBy: ['type', 'text', 'channel'] },
    recent: [{ letters: 6 }],
  })
})

test('what consumers took and gave up is told step by step, to who was given all sources, also over a restart', async () => {
  const made = await world()
  const consumers = { source: 'shop', queue: 'orders' }
  const minutes = (count: number): Promise<void> => made.clock.advance(count * 60_000)
  const counted = (handledTotal: number, deadLetteredTotal: number) =>
    raise(made.vault, [{ subject: consumers, values: { handledTotal, deadLetteredTotal } }], made.clock.now())
  await counted(100, 5)
  await minutes(5)
  await counted(150, 5)
  await minutes(15)
  await counted(350, 15)
  await minutes(15)
  // Whoever adds up was started anew, and so were its sums.
  await counted(10, 1)
  const { step, channels } = (await (await made.person()).ask('GET', '/failure-rates')).json()
  expect(step).toBe(15 * 60_000)
  expect(channels).toMatchObject([{ service: 'shop', channel: 'orders', group: null }])
  const told = channels[0].steps.map(({ handled, deadLettered }: Record<string, number>) => [handled, deadLettered])
  expect(told).toEqual([
    [50, 0],
    [200, 10],
    [10, 1],
  ])
  const some = await made.person({ sources: ['shop/dlq.orders'], role: 'operator' })
  expect((await some.ask('GET', '/failure-rates')).statusCode).toBe(403)
})

test('causes are found by a filter of their letters, with how many of them match, among those that one sees', async () => {
  const made = await world()
  const all = await made.person()
  const some = await made.person({ role: 'viewer', sources: ['shop/dlq.orders'] })
  const ask = async (person: typeof all, filter: string) =>
    (await person.ask('GET', `/causes?filter=${encodeURIComponent(filter)}`)).json()
  expect(await ask(all, 'declined')).toMatchObject({ causes: [{ total: 6, matching: 6 }], isPartial: false })
  expect(await ask(all, 'source:dlq.orders')).toMatchObject({ causes: [{ total: 6, matching: 3 }] })
  expect(await ask(some, 'declined')).toMatchObject({ causes: [{ matching: 3 }] })
  expect(await ask(all, 'state:discarded')).toMatchObject({ causes: [] })
  expect(await ask(all, 'stat:open')).toMatchObject({ code: 'bad-filter' })
  // Who may not see payloads does not learn from them what they hold.
  expect(await ask(some, 'header.x-api-key:key*')).toMatchObject({ status: 403 })
})
