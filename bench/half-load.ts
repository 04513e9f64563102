import { startContender } from './contender-process.ts'
import type { Sample } from './measure.ts'
import { isCalm, pairwise, type Round } from './rounds.ts'
import { type Estimate, estimate, median } from './statistics.ts'

const suite = 'half-load'
const scenario = 'success-half-load-memory'
const contenders = ['bare', 'redrive', 'twin'] as const
const warmUps = 2
const slicesOfOneProcess = 3

/**
 * Milliseconds from the time a message is due to the start of its handler, at the 99th percentile, while messages come at half
 * the rate at which this very arrangement can do no more.
 */
export interface HalfLoad {
  readonly perSecond: number
  readonly all: Waits
  /** The slices in which others had less than a tenth of the machine, if there were any. */
  readonly calm: Waits | undefined
}

export interface Waits {
  readonly slices: number
  readonly p50Ms: Readonly<Record<string, number>>
  readonly p99Ms: Readonly<Record<string, number>>
  /** What Redrive adds to the loop, and what the loop adds to itself: the second is what the machine alone does. */
  readonly added: Estimate
  readonly noise: Estimate
}

/**
 * A machine that is taken away for 20 ms puts a second's p99 where no program had a hand in it. So the contenders take turns in
 * slices of one second, each compared with the slice of the bare loop beside it, and the median over the slices says what is usual.
 *
 * At p99 one sees the garbage collector, and how a heap was laid out in a process's first second decides what its collections cost
 * from then on: the same loop has a p99 of 5 ms in one process and of 12 ms in the next. One process is therefore one draw,
 * however many slices it runs, and every few slices all contenders start anew.
 */
export async function halfLoad(slices: number): Promise<HalfLoad> {
  const perSecond = Math.round((await fullLoad()) / 2)
  const rounds: Round[] = []
  while (rounds.length < slices) {
    rounds.push(...(await playSlices(perSecond, Math.min(slicesOfOneProcess, slices - rounds.length))))
  }
  const calm = rounds.filter(isCalm)
  return { perSecond, all: waitsOf(rounds), calm: calm.length > 0 ? waitsOf(calm) : undefined }
}

async function playSlices(perSecond: number, slices: number): Promise<Round[]> {
  const processes = contenders.map((name) => startContender(suite, scenario, name))
  const rounds: Round[] = []
  for (let slice = 0; slice < warmUps + slices; slice++) {
    const round = new Map<string, Sample>()
    for (let turn = 0; turn < processes.length; turn++) {
      const contender = processes[(turn + slice) % processes.length]
      await contender?.prepare(perSecond)
      if (contender) round.set(contender.name, await contender.run())
    }
    if (slice >= warmUps) rounds.push(round)
  }
  for (const contender of processes) await contender.stop()
  return rounds
}

function waitsOf(rounds: readonly Round[]): Waits {
  const figure = (sample: Sample | undefined, name: string) => sample?.figures[name] ?? Number.NaN
  const usual = (name: string) =>
    Object.fromEntries(contenders.map((own) => [own, median(rounds.map((round) => figure(round.get(own), name)))]))
  const added = (name: string) => estimate(pairwise(rounds, name, (mine, bare) => figure(mine, 'p99Ms') - figure(bare, 'p99Ms')))
  return { slices: rounds.length, p50Ms: usual('p50Ms'), p99Ms: usual('p99Ms'), added: added('redrive'), noise: added('twin') }
}

/** The median of five seconds, after two that warm up. */
async function fullLoad(): Promise<number> {
  const contender = startContender(suite, scenario, 'full-load')
  const rates: number[] = []
  for (let second = 0; second < warmUps + 5; second++) {
    await contender.prepare(0)
    const { figures } = await contender.run()
    if (second >= warmUps) rates.push(figures['perSecond'] ?? Number.NaN)
  }
  await contender.stop()
  return median(rates)
}
