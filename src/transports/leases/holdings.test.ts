import { expect, it } from 'vitest'
import { createHoldings, type Held } from './holdings.ts'

const account = { came() {}, left() {}, settles() {}, departed() {} }

function held(id: number, lane: string | null, until: number, fence = 1): Held {
  return {
    hold: { id, fence },
    position: String(id),
    suspect: false,
    counted: false,
    channel: 1,
    address: { name: 'work' },
    lane,
    account,
    until,
  }
}

it('loses with a message those behind it in its lane whose time is up as well, and no others', () => {
  const holdings = createHoldings({ now: () => 100 })
  const lost = held(2, 'k', 50)
  const all = [held(1, 'k', 50), lost, held(3, 'k', 50), held(4, 'k', 150), held(5, 'other', 50), held(6, null, 50)]
  for (const each of all) holdings.add(each)
  holdings.lose(lost)
  expect(all.filter(({ loss }) => loss !== undefined).map(({ hold }) => hold.id)).toEqual([2, 3])
  expect(holdings.all().map(({ hold }) => hold.id)).toEqual([1, 4, 5, 6])
})

it('loses the older of two deliveries of a message, whichever is added last', () => {
  for (const order of [
    [1, 2],
    [2, 1],
  ]) {
    const holdings = createHoldings({ now: () => 0 })
    const both = order.map((fence) => held(7, null, 50, fence))
    for (const each of both) holdings.add(each)
    expect(both.filter(({ loss }) => loss !== undefined).map(({ hold }) => hold.fence)).toEqual([1])
    expect(holdings.all().map(({ hold }) => hold.fence)).toEqual([2])
  }
})
