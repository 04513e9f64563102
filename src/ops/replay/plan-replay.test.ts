import { expect, test } from 'vitest'
import type { Letter } from '../../vault/operations/letters.ts'
import { type Home, type PlanTerms, plannedPage } from '../../vault/operations/plan-letters.ts'
import type { PlannedLetter } from '../../vault/replay-rows.ts'
import { type Preview, replayPlanner } from './plan-replay.ts'

const wishes = { rate: 10, canary: undefined, observe: 1000 }
const home: Home = { source: 1, connection: 'shop', channel: 'dlq.orders', isConnected: true, hasRoutes: true }

function letter(id: number, changes: Partial<Letter> = {}): Letter {
  const plain = { id, source: 1, state: 'open', broker: 'gone', channel: 'orders', originGroup: null, letter: null, failedAt: id }
  return { ...(plain as Letter), ...changes }
}

/** A plan of pages of so many letters. */
function planned(
  letters: readonly Letter[],
  changes: Partial<Home> = {},
  size = 1,
): Preview & { readonly lines: readonly PlannedLetter[] } {
  const terms: PlanTerms = { homes: [{ ...home, ...changes }] }
  const planner = replayPlanner(wishes)
  for (let start = 0; start < letters.length; start += size) {
    const page = letters.slice(start, start + size)
    const ids = page.map(({ id }) => id)
    planner.add({
      ...plannedPage(page, terms),
      edits: [],
      found: page.length,
      newest: Math.max(...ids),
      oldest: Math.min(...ids),
    })
  }
  return { ...planner.preview(), lines: [...planner.steps(2)].flat() }
}

test('letters go in the order in which they failed, however they were found', () => {
  const failed = [30, 10, 20, 20, 50, 40, 10]
  const letters = failed.map((failedAt, index) => letter(index + 1, { failedAt })).toReversed()
  for (const size of [1, 2, 3, 10]) {
    expect(planned(letters, {}, size).lines.map((line) => line.letter)).toEqual([2, 7, 3, 4, 1, 6, 5])
  }
})

test('a plan comes in steps of the size that is asked for, and tells how many go where', () => {
  const letters = [1, 2, 3].map((id) => letter(id, { channel: id === 2 ? 'payments' : 'orders' }))
  const { destinations, letters: count, before } = planned(letters)
  expect({ count, before }).toEqual({ count: 3, before: 4 })
  expect(destinations).toEqual([
    { destination: { connection: 'shop', channel: 'orders' }, letters: 2 },
    { destination: { connection: 'shop', channel: 'payments' }, letters: 1 },
  ])
})

test('of many refusals all are counted, and the first hundred named', () => {
  const { refused, refusals } = planned(
    Array.from({ length: 250 }, (_, index) => letter(index + 1, { state: 'discarded' })),
    {},
    60,
  )
  expect(refused).toBe(250)
  expect(refusals).toHaveLength(100)
})

test('a letter that does not say where it came from is refused, or takes the route of its source', () => {
  const lost = letter(1, { channel: 'dlq.orders' })
  expect(planned([lost]).refusals).toEqual([{ letter: 1, because: 'no-origin' }])
  const route = { connection: 'shop', channel: 'orders', group: 'billing' }
  expect(planned([lost], { returnTo: route }).lines).toEqual([{ letter: 1, destination: route }])
})

test('a letter that says where it came from goes there, whatever the route of its source', () => {
  const { lines } = planned([letter(1)], { returnTo: { connection: 'shop', channel: 'elsewhere' } })
  expect(lines).toEqual([{ letter: 1, destination: { connection: 'shop', channel: 'orders' } }])
})

test('to its origin goes what has one on a broker that routes, and nothing else', () => {
  const route = { exchange: 'shop', routingKey: 'order.placed' }
  const plan = (hasRoutes: boolean): ReturnType<typeof plannedPage> =>
    plannedPage([letter(1), letter(2)], { homes: [{ ...home, hasRoutes }], toOrigin: true }, new Map([[1, route]]))
  expect(plan(true).destinations).toEqual([{ connection: 'shop', channel: 'orders', via: route }])
  expect(plan(true).refusals).toEqual([{ letter: 2, because: 'no-route' }])
  expect(plan(false).refusals.map(({ because }) => because)).toEqual(['no-route', 'no-route'])
})

test('a letter whose copy lies on a connection that is not configured any more is refused', () => {
  const followed = letter(1, { broker: 'kept', position: '7' })
  expect(planned([followed], { isConnected: false }).refusals).toEqual([{ letter: 1, because: 'copy-out-of-reach' }])
  expect(planned([followed]).refusals).toEqual([])
  expect(planned([letter(1)], { isConnected: false }).refusals).toEqual([])
})

const part = { channel: 'orders', isPart: true }
const ours = { originGroup: 'billing', letter: 'letter-1' }

test.each<readonly [string, Partial<Home>, Partial<Letter>, object | undefined]>([
  ['goes back to the channel', part, {}, { connection: 'shop', channel: 'orders' }],
  ['goes where its source says', { ...part, returnTo: { connection: 'shop', channel: 'sorted' } }, {}, { channel: 'sorted' }],
  ['of a subscription goes to nobody, who would be everybody', { ...part, group: 'billing' }, {}, undefined],
  ['of a subscription goes back to who gave it up', { ...part, group: 'billing' }, ours, { channel: 'orders', group: 'billing' }],
])('a letter in the dead-letter part of a channel %s', (_, place, changes, destination) => {
  const { lines } = planned([letter(1, changes)], place)
  expect(lines.map((line) => line.destination)).toMatchObject(destination === undefined ? [] : [destination])
})
