import { describe, expect, it } from 'vitest'
import { plantedBugs } from './planted-bugs.ts'
import { type Plant, simulate } from './simulate.ts'

/** A planted bug that hides for longer than this would be found by nobody. */
const mostSeeds = 300

async function firstSeedThatFinds(plant: Plant): Promise<number | undefined> {
  for (let seed = 1; seed <= mostSeeds; seed++) if ((await simulate(seed, plant)).violations.length > 0) return seed
  return undefined
}

/** Most brokers cannot move in one step: then a letter is sent, confirmed, and the source completed. */
const withoutMove: Plant = (transport) => ({ ...transport, capabilities: { ...transport.capabilities, move: 'none' } })

/** A send that is taken for confirmed although it failed. */
const trustsEverySend: Plant = (transport) => ({
  ...withoutMove(transport),
  send: (...call) => transport.send(...call).catch(() => ({ duplicate: false })),
})

describe('on a broker that cannot move', () => {
  it('every promise is kept, too', { timeout: 120_000 }, async () => {
    for (let seed = 1; seed <= 100; seed++) expect([seed, (await simulate(seed, withoutMove)).violations]).toEqual([seed, []])
  })

  it('a send that is trusted too early is found', { timeout: 120_000 }, async () => {
    expect(await firstSeedThatFinds(trustsEverySend)).toBeDefined()
  })
})

describe('the simulator', () => {
  it('does exactly the same thing for the same seed', { timeout: 120_000 }, async () => {
    for (let seed = 1; seed <= 50; seed++) expect(await simulate(seed)).toEqual(await simulate(seed))
  })

  it.each(Object.keys(plantedBugs))('finds a transport that %s', { timeout: 120_000 }, async (name) => {
    expect(await firstSeedThatFinds(plantedBugs[name] as Plant)).toBeDefined()
  })
})
