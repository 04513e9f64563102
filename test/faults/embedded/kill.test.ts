import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type KillPlan, type Ledger, runKillPlan } from './kill.ts'

const program = new URL('./consumer.ts', import.meta.url)
const careless = new URL('./careless-consumer.ts', import.meta.url)
/** As `consumer.ts` announces them. */
const points = ['after-take', 'before-handler', 'after-handler', 'after-settle-sent', 'after-settle']

function run(plan: Partial<KillPlan>): Promise<Ledger> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-kill-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return runKillPlan({ folder, messages: 300, program, kills: [], crashing: false, ...plan })
}

describe('a consumer that is killed', () => {
  test.each(points)('%s loses nothing and dead-letters nothing wrongly', { timeout: 120_000 }, async (point) => {
    expect(await run({ kills: [point] })).toMatchObject({ lost: [], wronglyDead: [] })
  })

  test('at any moment loses nothing', { timeout: 120_000 }, async () => {
    expect(await run({ kills: [3, 9, 15, 27] })).toMatchObject({ lost: [], wronglyDead: [], kills: 4 })
  })

  test('by one of its messages, again and again, buries that one and harms none of 200 neighbours', {
    timeout: 120_000,
  }, async () => {
    const ledger = await run({ messages: 250, crashing: true })
    expect(ledger).toMatchObject({ lost: [], wronglyDead: [] })
    expect(ledger.kills).toBe(4)
  })
})

test('the ledger finds what a consumer loses that completes before it handles', { timeout: 120_000 }, async () => {
  const { lost } = await run({ program: careless, kills: ['before-handler'] })
  expect(lost).toHaveLength(200)
})
