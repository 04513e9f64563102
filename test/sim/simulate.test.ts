import { describe, expect, it } from 'vitest'
import { detect } from './detection.ts'
import { plantedBugs } from './planted/bugs.ts'
import { simulate } from './simulate.ts'

describe('the simulator', () => {
  it('does exactly the same thing for the same seed', { timeout: 120_000 }, async () => {
    for (let seed = 1; seed <= 50; seed++) expect(await simulate(seed)).toEqual(await simulate(seed))
  })

  it.each(Object.keys(plantedBugs))('finds a runtime that %s', { timeout: 120_000 }, async (bug) => {
    expect((await detect(bug)).seed).toBeDefined()
  })
})
