import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Vault } from '../../src/vault/vault.ts'
import { openShop, replayAll } from './shop.fixture.ts'

/** More than anything here needs, when no time passes. */
const manyTurns = 500

async function endsWithoutTime(work: Promise<void>): Promise<boolean> {
  let hasEnded = false
  void work.then(() => {
    hasEnded = true
  })
  for (let turns = 0; turns < manyTurns && !hasEnded; turns++) await turn()
  return hasEnded
}

test('a control plane that is closed at any moment of a replay ends, although no time passes', { timeout: 120_000 }, async () => {
  const stuck: number[] = []
  for (let moment = 0; moment < 60; moment++) {
    const shop = await openShop({ vault: slow })
    await shop.orders(3)
    await replayAll(shop)
    for (let turns = 0; turns < moment; turns++) await turn()
    if (!(await endsWithoutTime(shop.plane.close()))) stuck.push(moment)
    // Whoever is stuck waits for the clock, and must not hold up the end of the test.
    await shop.bench.clock.advance(60_000)
  }
  expect(stuck).toEqual([])
})

/** Every question takes a turn of the event loop, as it does with a thread behind it: only then is there something between two steps. */
function slow(vault: Vault): Vault {
  const after = async (ask: () => Promise<unknown>): Promise<unknown> => {
    await turn()
    return ask()
  }
  return {
    ...vault,
    write: ((name: never, input: never) => after(() => vault.write(name, input))) as Vault['write'],
    read: ((name: never, input: never) => after(() => vault.read(name, input))) as Vault['read'],
  }
}
