import { expect, it } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createHoldings } from './holdings.ts'
import type { Claimed, PendingClaim } from './protocol.ts'
import { createReceiver } from './receiver.ts'

const nothing: Claimed = {
  ...{ ids: [], deliveries: [], turns: [], sentAt: [], lanes: [], stored: [] },
  ...{ suspect: false, withheld: false, nextAt: null },
}

/** A receiver whose claims are answered when the test says so. */
function setUp() {
  const clock = virtualClock()
  const made: PendingClaim[] = []
  const collect = (): void => {
    const claim = receiver.nextClaim()
    if (claim) made.push(claim)
  }
  const receiver = createReceiver({
    ...{ clock, holdings: createHoldings(clock), channel: 1, address: { name: 'work' }, options: { prefetch: 10, hold: 30_000 } },
    store: { perform: async () => {}, wake: collect, claimNow: collect },
    leaseEnd: (until) => until,
    onWait() {},
    onClose() {},
  })
  return { receiver, made }
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
