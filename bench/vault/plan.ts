import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { count } from '../summary.ts'
import { type Lateness, watchLoop } from './lateness.ts'
import { letter } from './letters.ts'
import { printLateness } from './print-lateness.ts'

export interface PlanReport {
  readonly letters: number
  readonly steps: Readonly<Record<string, { readonly seconds: number; readonly loop: Lateness }>>
}

const batch = 500
const wishes = { rate: 100, canary: undefined, observe: 60_000 }

/** A replay of everything that a vault holds: looked at, sealed, and cancelled, with an eye on the event loop all the time. */
export async function planBench(letters: number): Promise<PlanReport> {
  const folder = mkdtempSync(join(process.env['REDRIVE_BENCH_FOLDER'] ?? tmpdir(), 'redrive-plan-bench-'))
  const vault = sqliteVault({ file: join(folder, 'vault.db') })
  const { replays } = planeOf(vault)
  const steps: Record<string, PlanReport['steps'][string]> = {}

  async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const [loop, startedAt] = [watchLoop(), performance.now()]
    const result = await loop.during(work)
    steps[name] = { seconds: (performance.now() - startedAt) / 1000, loop: loop.lateness() }
    return result
  }

  try {
    await fill(vault, letters)
    const selection = { filter: 'state:open' }
    await step('preview', () => replays.preview(selection, wishes))
    const { replay } = await step('seal', () => replays.seal(selection, { ...wishes, name: 'all', actor: 'bench' }))
    await step('cancel', () => replays.cancel(replay.id, { actor: 'bench' }))
    return { letters, steps }
  } finally {
    await vault.close()
    rmSync(folder, { recursive: true })
  }
}

async function fill(vault: Vault, letters: number): Promise<void> {
  const { id: source } = await vault.write('registerSource', { connection: 'shop', channel: 'dlq.orders', part: '', group: '' })
  for (let start = 0; start < letters; start += batch) {
    const arrivals = Array.from({ length: batch }, (_, index) => letter(start + index))
    await vault.write('ingest', { source, now: arrivals[0]?.failedAt ?? 0, arrivals })
  }
}

function planeOf(vault: Vault): ReturnType<typeof createControlPlane> {
  return createControlPlane({
    ...{ vault, clock: systemClock, newId: newUuid, draw: (bytes: number) => new Uint8Array(bytes) },
    ...{ sources: [], transportNamed: () => undefined },
  })
}

export function printPlan({ letters, steps }: PlanReport): void {
  console.log(`replay-plan: ${count(letters).trim()} letters in one replay`)
  const told = Object.entries(steps).map(
    ([name, { seconds, loop }]) => [`${name.padEnd(8)} ${seconds.toFixed(1)} s`, loop] as const,
  )
  printLateness(Object.fromEntries(told))
}
