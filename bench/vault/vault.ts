import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { seededRandom } from '../../test/sim/seeded-random.ts'
import { type Estimate, estimate } from '../statistics.ts'
import { type Lateness, watchLoop } from './lateness.ts'
import { letter } from './letters.ts'
import { questions } from './questions.ts'
import type { BareInsert, VaultPlace } from './vault-place.ts'

export interface VaultReport {
  readonly letters: number
  readonly ingest: Compared
  readonly fileMiB: number
  /** Milliseconds, by question, at a tenth of the letters and at all of them. */
  readonly answers: Readonly<Record<string, { readonly small: Waits; readonly large: Waits }>>
  /** By what was going on. */
  readonly loop: Readonly<Record<string, Lateness>>
}

/** Letters a second, and ours as a part of theirs, block by block. */
export interface Compared {
  readonly ours: number
  readonly like: number
  readonly rows: number
  readonly ofLike: Estimate
  readonly ofRows: Estimate
  readonly cpuOfLike: Estimate
  readonly cpuOfRows: Estimate
}

export interface Waits {
  readonly p50: number
  readonly p95: number
}

interface Cost {
  readonly ms: number
  readonly cpu: number
}

type Block = Readonly<Record<'ours' | 'like' | 'rows', Cost>>

const block = 5000
const batch = 500

/** Fills a vault and two bare databases with the same letters, in turns, and asks the vault at a tenth of the way and at the end. */
export async function vaultBench(letters: number, { vault, like, rows, mebibytes }: VaultPlace): Promise<VaultReport> {
  const loops = { ingest: watchLoop(), questions: watchLoop(), 'plan of a replay': watchLoop(), export: watchLoop() }
  const { id: source } = await vault.write('registerSource', { connection: 'shop', channel: 'dlq.orders', part: '', group: '' })
  const small: Record<string, Waits> = {}
  const blocks: Block[] = []
  for (let start = 0; start < letters; start += block) {
    const batches = batchesFrom(start)
    const ingest = (): Promise<void> => loops.ingest.during(() => keep(vault, source, batches))
    blocks.push(
      await inTurns(start / block, { ours: ingest, like: () => insert(like, batches), rows: () => insert(rows, batches) }),
    )
    if (start + block === letters / 10) await ask(vault, letters / 10, small)
  }
  const large: Record<string, Waits> = {}
  await loops.questions.during(() => ask(vault, letters, large))
  await loops['plan of a replay'].during(() => planReplay(vault))
  await loops.export.during(() => exportAll(vault, Math.min(letters, 50_000)))
  return {
    letters,
    ingest: compare(blocks),
    fileMiB: await mebibytes(),
    answers: Object.fromEntries(Object.keys(large).map((name) => [name, { small: of(small, name), large: of(large, name) }])),
    loop: Object.fromEntries(Object.entries(loops).map(([name, loop]) => [name, loop.lateness()])),
  }
}

function batchesFrom(start: number): ReturnType<typeof letter>[][] {
  return Array.from({ length: block / batch }, (_, at) =>
    Array.from({ length: batch }, (__, index) => letter(start + at * batch + index)),
  )
}

async function keep(vault: Vault, source: number, batches: readonly ReturnType<typeof letter>[][]): Promise<void> {
  for (const arrivals of batches) await vault.write('ingest', { source, now: arrivals[0]?.failedAt ?? 0, arrivals })
}

async function insert(bare: BareInsert, batches: readonly ReturnType<typeof letter>[][]): Promise<void> {
  for (const arrivals of batches) await bare.insert(arrivals)
}

/** Who goes first changes from block to block. */
async function inTurns(turn: number, works: Readonly<Record<keyof Block, () => Promise<void>>>): Promise<Block> {
  const names = ['ours', 'like', 'rows'] as const
  const costs: Partial<Record<keyof Block, Cost>> = {}
  for (const place of names.keys()) {
    const name = names[(place + turn) % names.length] ?? 'ours'
    costs[name] = await costOf(works[name])
  }
  return costs as Block
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - startedAt, cpu: user + system }
}

function compare(blocks: readonly Block[]): Compared {
  const perSecond = (name: keyof Block): number =>
    (blocks.length * block * 1000) / blocks.reduce((sum, each) => sum + each[name].ms, 0)
  const ratio = (name: keyof Block, what: keyof Cost): Estimate =>
    estimate(blocks.map((each) => each[name][what] / each.ours[what]))
  return {
    ours: perSecond('ours'),
    like: perSecond('like'),
    rows: perSecond('rows'),
    ofLike: ratio('like', 'ms'),
    ofRows: ratio('rows', 'ms'),
    cpuOfLike: ratio('like', 'cpu'),
    cpuOfRows: ratio('rows', 'cpu'),
  }
}

/** Everything that people ask, so many times each. */
export async function ask(vault: Vault, n: number, waits: Record<string, Waits>, asked = 400): Promise<void> {
  for (const [name, question] of Object.entries(questions)) {
    const chance = seededRandom(1)
    const draw = (below: number): number => chance.between(0, below - 1)
    const took: number[] = []
    for (let time = 0; time < asked; time++) took.push((await costOf(() => question(vault, n, draw))).ms)
    took.sort((one, other) => one - other)
    waits[name] = { p50: took[Math.floor(asked * 0.5)] ?? 0, p95: took[Math.floor(asked * 0.95)] ?? 0 }
  }
}

function of(waits: Readonly<Record<string, Waits>>, name: string): Waits {
  return waits[name] ?? { p50: Number.NaN, p95: Number.NaN }
}

function planeOf(vault: Vault): ReturnType<typeof createControlPlane> {
  return createControlPlane({
    vault,
    clock: systemClock,
    newId: newUuid,
    draw: (bytes) => new Uint8Array(bytes),
    sources: [],
    // Nothing is sent here: a plan says that its destinations cannot be asked.
    transportNamed: () => undefined,
  })
}

/** One channel of forty. */
async function planReplay(vault: Vault): Promise<void> {
  const wishes = { rate: 100, canary: undefined, observe: 60_000 }
  await planeOf(vault).replays.preview({ filter: 'state:open channel:orders.7' }, wishes)
}

async function exportAll(vault: Vault, most: number): Promise<void> {
  const { letters } = planeOf(vault)
  for (let [done, before]: [number, number | undefined] = [0, undefined]; done < most; ) {
    const page = await letters.export({ limit: 500, bodies: true, ...(before !== undefined && { before }) })
    done += page.letters.length
    before = page.next
    if (before === undefined) return
  }
}
