import { describe, expect, it, onTestFinished } from 'vitest'
import { embeddedArena } from './embedded/arena.ts'
import { type Kill, killRun } from './kill-run.ts'
import type { Verdict } from './ledger.ts'

const timeout = 300_000

async function verdictOn(messages: number, kills: readonly Kill[], plant?: string): Promise<Verdict> {
  const arena = await embeddedArena()
  onTestFinished(() => arena.close())
  const run = { subject: 'embedded', messages, prefetch: 200, kills, ...(plant !== undefined && { plant }) }
  return (await killRun(run, arena)).verdict
}

/** The first message that comes to a handler is in hand at each of these deaths. */
function deaths(count: number): Kill[] {
  return Array.from({ length: count }, () => ({ at: 'before-handler', passes: 0 }))
}

it('finds what is lost by a consumer that completes before it handles', { timeout }, async () => {
  const { lost } = await verdictOn(200, [{ at: 'before-handler', passes: 40 }], 'completes on receipt')
  expect(lost.length).toBeGreaterThan(0)
})

describe('a run with kills', () => {
  it('leaves the neighbours of a crash alive', { timeout }, async () => {
    const { wronglyDead, rightlyPoison } = await verdictOn(200, [{ at: 'before-handler', passes: 40 }])
    expect([wronglyDead, rightlyPoison]).toEqual([[], []])
  })

  it('finds neighbours that are called poison', { timeout }, async () => {
    const plant = 'blames everything that was in hand'
    const { wronglyDead } = await verdictOn(200, [{ at: 'before-handler', passes: 40 }], plant)
    expect(wronglyDead.length).toBeGreaterThan(0)
  })

  it('lets a message live that was in hand at as many deaths as it has turns', { timeout }, async () => {
    const { wronglyDead, rightlyPoison } = await verdictOn(1, deaths(3))
    expect([wronglyDead, rightlyPoison]).toEqual([[], []])
  })

  it('finds a message that is called poison one death too early', { timeout }, async () => {
    const { wronglyDead } = await verdictOn(1, deaths(3), 'counts hand-outs for turns')
    expect(wronglyDead).toEqual([0])
  })

  it('calls it poison, rightly, one death later', { timeout }, async () => {
    const { wronglyDead, rightlyPoison } = await verdictOn(1, deaths(4))
    expect([wronglyDead, rightlyPoison]).toEqual([[], [0]])
  })
})
