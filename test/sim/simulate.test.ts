import { describe, expect, it } from 'vitest'
import { simulateAlerts } from './alerts/simulate-alerts.ts'
import { detect } from './detection.ts'
import { alertBugs } from './planted/alert-bugs.ts'
import { plantedBugs } from './planted/bugs.ts'
import { replayBugs } from './planted/replay-bugs.ts'
import { simulateReplay } from './replay/simulate-replay.ts'
import { simulate } from './simulate.ts'

describe('the simulator', () => {
  it('does exactly the same thing for the same seed', { timeout: 120_000 }, async () => {
    for (let seed = 1; seed <= 50; seed++) expect(await simulate(seed)).toEqual(await simulate(seed))
  })

  it('does exactly the same thing for the same seed when letters are replayed', { timeout: 120_000 }, async () => {
    for (let seed = 1; seed <= 50; seed++) expect(await simulateReplay(seed)).toEqual(await simulateReplay(seed))
  })

  it('does exactly the same thing for the same seed when there are alerts', { timeout: 120_000 }, async () => {
    for (let seed = 1; seed <= 20; seed++) expect(await simulateAlerts(seed)).toEqual(await simulateAlerts(seed))
  })

  it.each(Object.keys(alertBugs))('finds alerting that %s', { timeout: 300_000 }, async (bug) => {
    expect((await detect(bug)).seed).toBeDefined()
  })

  it.each(Object.keys(replayBugs))('finds a control plane that %s', { timeout: 120_000 }, async (bug) => {
    expect((await detect(bug)).seed).toBeDefined()
  })

  it.each(Object.keys(plantedBugs))('finds a runtime that %s', { timeout: 120_000 }, async (bug) => {
    expect((await detect(bug)).seed).toBeDefined()
  })
})
