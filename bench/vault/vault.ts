import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { seededRandom } from '../../test/sim/seeded-random.ts'
import { type Estimate, estimate } from '../statistics.ts'
import { bareInsert } from './bare-insert.ts'
import { letter } from './letters.ts'
import { questions } from './questions.ts'

export interface VaultReport {
  readonly letters: number
  /** Ingest over a bare batched insert of the same rows, block by block. */
  readonly ofBare: Estimate
  readonly ingestPerSecond: number
  readonly barePerSecond: number
  readonly fileMiB: number
  /** Milliseconds, by question, at a tenth of the letters and at all of them. */
  readonly answers: Readonly<Record<string, { readonly small: Waits; readonly large: Waits }>>
  /** Milliseconds for which the event loop was late while questions were answered. */
  readonly loop: { readonly p50: number; readonly p99: number; readonly max: number }
}

export interface Waits {
  readonly p50: number
  readonly p95: number
}

const block = 5000
const batch = 500
const asked = 200

/** Fills a vault and a bare database with the same letters, in turns, and asks the vault at a tenth of the way and at the end. */
export async function vaultBench(letters: number): Promise<VaultReport> {
  const folder = mkdtempSync(join(process.env['REDRIVE_BENCH_FOLDER'] ?? tmpdir(), 'redrive-vault-bench-'))
  const vault = sqliteVault({ file: join(folder, 'vault.db') })
  const bare = bareInsert(join(folder, 'bare.db'))
  try {
    const { id: source } = await vault.write('registerSource', { connection: 'shop', channel: 'dlq.orders', part: '' })
    const small: Record<string, Waits> = {}
    const blocks: { readonly ours: number; readonly theirs: number }[] = []
    for (let start = 0; start < letters; start += block) {
      blocks.push(await fill(vault, source, bare, start))
      if (start + block === letters / 10) await ask(vault, letters / 10, small)
    }
    const large: Record<string, Waits> = {}
    const loop = monitorEventLoopDelay({ resolution: 1 })
    loop.enable()
    await ask(vault, letters, large)
    loop.disable()
    const sum = (of: 'ours' | 'theirs') => blocks.reduce((total, each) => total + each[of], 0)
    return {
      letters,
      ofBare: estimate(blocks.map(({ ours, theirs }) => theirs / ours)),
      ingestPerSecond: (letters / sum('ours')) * 1000,
      barePerSecond: (letters / sum('theirs')) * 1000,
      fileMiB: statSync(join(folder, 'vault.db')).size / 2 ** 20,
      answers: Object.fromEntries(Object.keys(large).map((name) => [name, { small: of(small, name), large: of(large, name) }])),
      loop: { p50: loop.percentile(50) / 1e6, p99: loop.percentile(99) / 1e6, max: loop.max / 1e6 },
    }
  } finally {
    bare.close()
    await vault.close()
    rmSync(folder, { recursive: true })
  }
}

function of(waits: Readonly<Record<string, Waits>>, name: string): Waits {
  return waits[name] ?? { p50: Number.NaN, p95: Number.NaN }
}

/** Milliseconds that a block took either way; who goes first changes from block to block. */
async function fill(
  vault: Vault,
  source: number,
  bare: ReturnType<typeof bareInsert>,
  start: number,
): Promise<{ readonly ours: number; readonly theirs: number }> {
  const batches = Array.from({ length: block / batch }, (_, at) =>
    Array.from({ length: batch }, (__, index) => letter(start + at * batch + index)),
  )
  const ours = (): Promise<number> =>
    timed(async () => {
      for (const arrivals of batches) await vault.write('ingest', { source, now: arrivals[0]?.failedAt ?? 0, arrivals })
    })
  const theirs = (): Promise<number> =>
    timed(async () => {
      for (const arrivals of batches) bare.insert(arrivals)
    })
  if ((start / block) % 2 === 0) return { ours: await ours(), theirs: await theirs() }
  const first = await theirs()
  return { ours: await ours(), theirs: first }
}

async function ask(vault: Vault, n: number, waits: Record<string, Waits>): Promise<void> {
  for (const [name, question] of Object.entries(questions)) {
    const chance = seededRandom(1)
    const draw = (below: number): number => chance.between(0, below - 1)
    const took: number[] = []
    for (let time = 0; time < asked; time++) took.push(await timed(() => question(vault, n, draw)))
    took.sort((one, other) => one - other)
    waits[name] = { p50: took[Math.floor(asked * 0.5)] ?? 0, p95: took[Math.floor(asked * 0.95)] ?? 0 }
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
