import { expect, it, onTestFinished } from 'vitest'
import { embeddedArena } from './embedded/arena.ts'
import { killRun } from './kill-run.ts'

it('finds what is lost by a consumer that completes before it handles', { timeout: 120_000 }, async () => {
  const arena = await embeddedArena()
  onTestFinished(() => arena.close())
  const kills = [{ at: 'before-handler', passes: 40 }]
  const run = { subject: 'embedded', messages: 200, prefetch: 200, kills, plant: 'completes on receipt' }
  const { verdict } = await killRun(run, arena)
  expect(verdict.lost.length).toBeGreaterThan(0)
})
