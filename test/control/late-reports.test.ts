import { expect, test } from 'vitest'
import { ended, openShop, replayAll } from './shop.fixture.ts'

const hour = 3_600_000

test('a canary goes on as soon as letters are reported, long before it would assume anything', async () => {
  const shop = await openShop({ isCut: () => false })
  await shop.orders(40)
  shop.handle = () => {}
  const begun = shop.bench.clock.monotonic()
  const replay = await replayAll(shop, { observe: hour })
  await shop.until(ended(shop, replay))
  expect(shop.bench.clock.monotonic() - begun).toBeLessThan(30_000)
  expect((await shop.plane.replays.show(replay)).counts).toMatchObject({ succeeded: 40, assumed: 0 })
})

test('what was assumed while nobody could report is known to have succeeded once somebody can', async () => {
  let isCut = false
  const shop = await openShop({ isCut: () => isCut })
  await shop.orders(10)
  shop.handle = () => {}
  isCut = true
  const replay = await replayAll(shop)
  await shop.until(ended(shop, replay))
  expect((await shop.plane.replays.show(replay)).counts).toMatchObject({ succeeded: 0, assumed: 10 })
  isCut = false
  await shop.until(async () => (await shop.plane.replays.show(replay)).counts.succeeded === 10)
  expect((await shop.plane.letters.find({ filter: 'state:succeeded', limit: 100 })).letters).toHaveLength(10)
})
