import { expect, test } from 'vitest'
import { RedriveError } from '../../src/core/errors.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { ended, openShop, replayAll, type Shop } from './shop.fixture.ts'

const letters = 20

/** All letters are on their way, and the broker takes its time. */
async function replayAloft(fails: (name: string) => boolean): Promise<{ shop: Shop; replay: number; land: () => void }> {
  const ground = Promise.withResolvers<void>()
  const shop = await openShop({
    vault: (vault) => failing(vault, fails),
    wrap: (transport) => ({
      ...transport,
      async send(...sending) {
        await ground.promise
        return transport.send(...sending)
      },
    }),
  })
  await shop.orders(letters)
  shop.handle = () => {}
  const replay = await replayAll(shop, { canary: undefined, observe: 1000 })
  const isAloft = async () => (await shop.plane.replays.show(replay)).counts.claimed >= 3
  await shop.until(isAloft)
  return { shop, replay, land: ground.resolve }
}

function failing(vault: Vault, fails: (name: string) => boolean): Vault {
  async function write(name: string, input: unknown): Promise<unknown> {
    if (fails(name)) throw new RedriveError('unreachable', 'no database')
    return vault.write(name as never, input as never)
  }
  return { ...vault, write: write as Vault['write'] }
}

test('what is on its way when the vault fails between two turns is written down as what became of it', async () => {
  let failures = 0
  const { shop, replay, land } = await replayAloft((name) => name === 'assumeSuccess' && failures++ === 0)
  await shop.until(async () => failures > 0)
  await shop.bench.clock.advance(20_000)
  land()
  await shop.until(ended(shop, replay))
  const { counts } = await shop.plane.replays.show(replay)
  expect(counts).toMatchObject({ unknown: 0, refused: 0, claimed: 0 })
  expect(shop.seen.length).toBe(2 * letters)
})

test('letters whose channel is gone for as long as they are observed are for a person to decide', async () => {
  const shop = await openShop({
    wrap: (transport) => ({
      ...transport,
      async measure(address) {
        if (address.name === 'order') throw new RedriveError('unknown-channel', 'There is no such queue any more.')
        return transport.measure(address)
      },
    }),
  })
  await shop.orders(3)
  shop.handle = () => {}
  const replay = await replayAll(shop, { canary: undefined, observe: 1000 })
  await shop.until(ended(shop, replay))
  const { counts } = await shop.plane.replays.show(replay)
  expect(counts).toMatchObject({ sent: 0, assumed: 0, unknown: 3 })
})
