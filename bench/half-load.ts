import { startContender } from './contender-process.ts'
import { type Estimate, estimate, median } from './statistics.ts'

const suite = 'half-load'
const scenario = 'success-half-load-memory'
const contenders = ['bare', 'redrive', 'twin'] as const

/**
 * Milliseconds from the time a message is due to the start of its handler, at the 99th percentile, while messages come at half
 * the rate at which this very arrangement can do no more.
 */
export interface HalfLoad {
  readonly perSecond: number
  readonly p50Ms: Readonly<Record<string, number>>
  readonly p99Ms: Readonly<Record<string, number>>
  /** What Redrive adds to the loop, and what the loop adds to itself: the second is what the machine alone does. */
  readonly added: Estimate
  readonly noise: Estimate
}

/**
 * A machine that is taken away for 20 ms puts a second's p99 where no program had a hand in it. So the contenders take turns in
 * slices of one second, each compared with the slice of the bare loop beside it, and the median over the slices says what is usual.
 */
export async function halfLoad(slices: number): Promise<HalfLoad> {
  const perSecond = Math.round((await fullLoad()) / 2)
  const processes = contenders.map((name) => startContender(suite, scenario, name))
  const p50 = new Map<string, number[]>(contenders.map((name) => [name, []]))
  const p99 = new Map<string, number[]>(contenders.map((name) => [name, []]))
  for (let slice = -2; slice < slices; slice++) {
    for (let turn = 0; turn < processes.length; turn++) {
      const contender = processes[(turn + slice + 3) % processes.length]
      if (!contender) continue
      await contender.prepare(perSecond)
      const { figures } = await contender.run()
      if (slice < 0) continue
      p50.get(contender.name)?.push(figures['p50Ms'] ?? Number.NaN)
      p99.get(contender.name)?.push(figures['p99Ms'] ?? Number.NaN)
    }
  }
  for (const contender of processes) await contender.stop()
  const added = (name: string) => (p99.get(name) ?? []).map((value, slice) => value - (p99.get('bare')?.[slice] ?? 0))
  return {
    perSecond,
    p50Ms: medians(p50),
    p99Ms: medians(p99),
    added: estimate(added('redrive')),
    noise: estimate(added('twin')),
  }
}

function medians(samples: ReadonlyMap<string, readonly number[]>): Record<string, number> {
  return Object.fromEntries([...samples].map(([name, own]) => [name, median(own)]))
}

async function fullLoad(): Promise<number> {
  const contender = startContender(suite, scenario, 'full-load')
  await contender.prepare(0)
  await contender.run()
  await contender.prepare(0)
  const { figures } = await contender.run()
  await contender.stop()
  return figures['perSecond'] ?? Number.NaN
}
