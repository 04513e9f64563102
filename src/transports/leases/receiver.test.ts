import { expect, it } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createHoldings, heldOf } from './holdings.ts'
import type { Claimed, PendingClaim } from './protocol.ts'
import { createReceiver } from './receiver.ts'

const nothing: Claimed = {
  ...{ ids: [], deliveries: [], turns: [], sentAt: [], lanes: [], stored: [] },
  ...{ suspect: false, withheld: false, nextAt: null },
}

/** So many, whose numbers begin behind this one. */
function claimed(count: number, behind = 0): Claimed {
  const all = <Value>(value: Value): Value[] => Array.from({ length: count }, () => value)
  return {
    ...nothing,
    ids: Array.from({ length: count }, (_, index) => behind + index + 1),
    ...{ deliveries: all(1), turns: all(0), sentAt: all(0) },
    stored: all({ envelope: [1, null, null, null, null, null, [], null], body: null }),
  }
}

const five = claimed(5)

/** A receiver whose claims are answered when the test says so. */
function setUp(inParts = false, perform: () => Promise<void> = async () => {}, prefetch = 10) {
  const clock = virtualClock()
  const made: PendingClaim[] = []
  const collect = (): void => {
    const claim = receiver.nextClaim()
    if (claim) made.push(claim)
  }
  const holdings = createHoldings(clock)
  const receiver = createReceiver({
    ...{ clock, holdings, channel: 1, address: { name: 'work' }, options: { prefetch, hold: 30_000 } },
    inParts,
    store: { perform, wake: collect, claimNow: collect },
    leaseEnd: (until) => until,
    onWait() {},
    onClose() {},
  })
  return { receiver, made, holdings, clock }
}

it('claims once more when something came while a claim was on its way that brought nothing', () => {
  const { receiver, made } = setUp()
  void receiver.take(1, 60_000)
  receiver.stir()
  expect(made).toHaveLength(1)
  made[0]?.resolve(nothing)
  expect(made).toHaveLength(2)
})

it('claims no more when nothing came meanwhile', () => {
  const { receiver, made } = setUp()
  void receiver.take(1, 60_000)
  made[0]?.resolve(nothing)
  expect(made).toHaveLength(1)
  receiver.stir()
  made[1]?.resolve(nothing)
  expect(made).toHaveLength(2)
})

it('is closed for everybody who closes it once no claim is on its way any more', async () => {
  const { receiver, made } = setUp()
  void receiver.take(1, 60_000)
  const closed: string[] = []
  const closing = ['first', 'second'].map((who) => receiver.close().then(() => closed.push(who)))
  await new Promise((resolve) => setImmediate(resolve))
  expect(closed).toEqual([])
  made[0]?.resolve(nothing)
  await Promise.all(closing)
  expect(closed).toEqual(['first', 'second'])
})

it('claims one half, and the other one beside it once somebody takes', () => {
  const { receiver, made } = setUp(true)
  void receiver.take(3, 60_000)
  receiver.stir()
  expect(made.map(({ request }) => request.max)).toEqual([5])
  made[0]?.resolve(five)
  void receiver.take(5, 60_000)
  receiver.stir()
  expect(made.map(({ request }) => request.max)).toEqual([5, 5])
})

it('claims a third at a time, and nothing smaller beside a claim that is on its way', async () => {
  const { receiver, made, holdings } = setUp(true, undefined, 300)
  const sizes = (): number[] => made.map(({ request }) => request.max)
  const taking = receiver.take(100, 60_000)
  made[0]?.resolve(claimed(100))
  const first = (await taking).map(heldOf)
  void receiver.take(100, 60_000)
  receiver.stir()
  expect(sizes()).toEqual([100, 100])
  for (const held of first.slice(1)) {
    held.account.settles(held, 'complete')
    holdings.remove(held)
  }
  // One of the first hundred is still ours: what is left of the room would be a small claim.
  receiver.stir()
  expect(sizes()).toEqual([100, 100, 100])
  made[1]?.resolve(claimed(100, 100))
  void receiver.take(100, 60_000)
  receiver.stir()
  expect(sizes()).toEqual([100, 100, 100])
})

it('claims what is asked for, also where that is more than half', () => {
  const { receiver, made } = setUp(true)
  void receiver.take(8, 60_000)
  receiver.stir()
  expect(made.map(({ request }) => request.max)).toEqual([8])
})

it('counts no turn of a suspect while the store has not heard of what was given back: should we die, that would be in our hands, too', async () => {
  const released = Promise.withResolvers<void>()
  const { receiver, made, holdings } = setUp(false, () => released.promise)
  const taking = receiver.take(1, 60_000)
  made[0]?.resolve({ ...five, lanes: Array(5).fill('lane') })
  const [first] = (await taking).map(heldOf)
  if (!first) throw new Error('Nothing was given.')
  first.account.settles(first, 'retry')
  holdings.remove(first)
  void receiver.take(1, 60_000)
  expect(made[1]?.request.suspects).toBe('withhold')
  made[1]?.resolve({ ...nothing, withheld: true })
  released.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  expect(made[2]?.request.suspects).toBe('alone')
})

it('answers a take in its time, also where what an earlier claim brought would be stale by then', async () => {
  const { receiver, made, holdings, clock } = setUp()
  const taking = receiver.take(5, 60_000)
  made[0]?.resolve(five)
  for (const delivery of await taking) holdings.remove(heldOf(delivery))
  const answered: number[] = []
  void receiver.take(1, 5000).then(({ length }) => answered.push(length))
  made[1]?.resolve(nothing)
  await clock.advance(5001)
  for (const claim of made.slice(2)) claim.resolve(nothing)
  await clock.settle()
  expect(answered).toEqual([0])
})
