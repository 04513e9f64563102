import { expect, test } from 'vitest'
import { seededRandom } from '../sim/seeded-random.ts'
import { ended, openShop, replayAll, wishes } from './shop.fixture.ts'

const runs = 50
const letters = 12

test('in each of 50 runs with a handler that still fails, at most the stated number is sent', { timeout: 300_000 }, async () => {
  const shop = await openShop()
  await shop.orders(letters)
  const chance = seededRandom(1)
  for (let run = 0; run < runs; run++) {
    shop.seen.length = 0
    const first = chance.between(1, 10)
    const replay = await replayAll(shop, { canary: { first, growth: chance.between(2, 9), tolerated: 0 } })
    await shop.until(ended(shop, replay))
    expect((await shop.plane.replays.show(replay)).replay.state).toBe('stopped')
    await shop.plane.replays.cancel(replay, wishes)
    await shop.until(async () => (await shop.plane.letters.find({ filter: 'state:open', limit: 100 })).letters.length === letters)
    expect(shop.seen.length, `run ${run}`).toBeLessThanOrEqual(first)
    expect(shop.seen.length, `run ${run}`).toBeGreaterThan(0)
  }
})

test('in each of 50 runs with a handler that works, all are sent', { timeout: 300_000 }, async () => {
  const shop = await openShop()
  const chance = seededRandom(2)
  const failing = shop.handle
  for (let run = 0; run < runs; run++) {
    shop.handle = failing
    await shop.orders(letters)
    shop.handle = () => {}
    shop.seen.length = 0
    const canary = { first: chance.between(1, 10), growth: chance.between(2, 9), tolerated: 0 }
    await shop.until(ended(shop, await replayAll(shop, { canary, observe: 1000 })))
    expect(shop.seen.toSorted((one, other) => one - other)).toEqual(Array.from({ length: letters }, (_, order) => order))
  }
})
