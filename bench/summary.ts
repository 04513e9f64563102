import type { Waits } from './half-load.ts'
import type { Sample } from './measure.ts'
import { contendersIn, isCalm, pairwise, type Round } from './rounds.ts'
import { type Estimate, estimate } from './statistics.ts'

/**
 * Prints a scenario and gives its part of the report. Rates are medians over the rounds; what is compared is compared within each
 * round first. Where others had the machine for a part of the time, the calm rounds are told apart, beside all of them.
 */
export function summarise(name: string, rounds: readonly Round[]): object {
  const contenders = contendersIn(rounds).sort(bareFirst)
  const perSecond: Record<string, number> = {}
  const cpu: Record<string, number> = {}
  const lost: Record<string, number> = {}
  console.log(name)
  for (const contender of contenders) {
    const own = rounds.flatMap((round) => round.get(contender) ?? [])
    const rate = estimate(own.map((sample) => sample.perSecond))
    perSecond[contender] = Math.round(rate.median)
    cpu[contender] = Number(estimate(own.map((sample) => sample.cpuMicrosPerMessage)).median.toFixed(2))
    console.log(`  ${contender.padEnd(10)} ${count(rate.median)}/s  ${between(rate, count)}  ${cpu[contender]} µs CPU/message`)
    lost[contender] = own.reduce((sum, { figures }) => sum + (figures['lost'] ?? 0), 0)
    if (lost[contender] > 0) console.log(`  ${contender.padEnd(10)} LOST ${lost[contender]} messages in ${rounds.length} rounds`)
    printFigures(contender, own)
  }
  const compared = contenders.includes('bare') ? contenders.filter((contender) => contender !== 'bare') : []
  const ofBare = Object.fromEntries(compared.map((contender) => [contender, compareAll(contender, rounds)]))
  const spared = Object.fromEntries(contenders.flatMap((contender) => compareSpared(contender, rounds)))
  const { redrive, bare, ...peers } = perSecond
  return { redrive, bare, peers, cpuMicrosPerMessage: cpu, ofBare, spared, lost }
}

/** A line for whoever watches a long run; on its own stream, because it is no result. */
export function tellRound(name: string, round: Round, played: number, rounds: number): void {
  const each = [...round].map(([contender, { perSecond, cpuMicrosPerMessage }]) => {
    return `${contender} ${count(perSecond).trim()}/s ${fixed(cpuMicrosPerMessage)} µs`
  })
  console.error(`  ${name}, round ${played} of ${rounds}: ${each.join(', ')}`)
}

/** Whatever else a contender has found out, such as its memory. */
function printFigures(contender: string, own: readonly Sample[]): void {
  const names = Object.keys(own[0]?.figures ?? {}).filter((name) => name !== 'lost')
  for (const name of names) {
    const values = estimate(own.map(({ figures }) => figures[name] ?? Number.NaN))
    console.log(`  ${contender.padEnd(10)} ${name} ${fixed(values.median)} ${between(values, fixed)}`)
  }
}

interface Comparison {
  readonly rounds: number
  readonly ratio: Estimate
  /** Microseconds of processor time for each message. */
  readonly added: Estimate
  readonly others: number
}

function compareAll(contender: string, rounds: readonly Round[]): { readonly all: Comparison; readonly calm?: Comparison } {
  const all = compare(contender, rounds)
  printComparison(contender, all, 'rounds')
  const calmRounds = rounds.filter(isCalm)
  if (calmRounds.length === 0 || calmRounds.length === rounds.length) return { all }
  const calm = compare(contender, calmRounds)
  printComparison(contender, calm, 'calm rounds')
  return { all, calm }
}

/** One that was spared something, by its name: what it is spared costs the one without those words. */
function compareSpared(spared: string, rounds: readonly Round[]): (readonly [string, Estimate])[] {
  const [contender = '', what] = spared.split(' without ')
  if (what === undefined || !contendersIn(rounds).includes(contender)) return []
  const ratio = estimate(pairwise(rounds, contender, (mine, other) => mine.perSecond / other.perSecond, spared))
  console.log(`  ${contender}: with ${what} ${fixed(ratio.median)} of its rate without ${between(ratio, fixed)}`)
  return [[spared, ratio]]
}

function compare(contender: string, rounds: readonly Round[]): Comparison {
  return {
    rounds: rounds.length,
    ratio: estimate(pairwise(rounds, contender, (mine, bare) => mine.perSecond / bare.perSecond)),
    added: estimate(pairwise(rounds, contender, (mine, bare) => mine.cpuMicrosPerMessage - bare.cpuMicrosPerMessage)),
    others: estimate(pairwise(rounds, contender, (mine, bare) => (mine.others + bare.others) / 2)).median,
  }
}

function printComparison(contender: string, { rounds, ratio, added, others }: Comparison, what: string): void {
  console.log(
    `  ${contender}, ${rounds} ${what}: ${fixed(ratio.median)} of bare ${between(ratio, fixed)}, ${fixed(added.median)} µs CPU added ${between(added, fixed)}; others had ${(others * 100).toFixed(0)} % of the machine`,
  )
}

export function printWaits({ slices, p50Ms, p99Ms, added, noise }: Waits, what: string): void {
  const each = Object.keys(p99Ms).map((name) => `${name} p50 ${fixed(p50Ms[name])} p99 ${fixed(p99Ms[name])} ms`)
  console.log(`  ${slices} ${what}: ${each.join(', ')}`)
  console.log(
    `    added at p99: redrive ${fixed(added.median)} ms ${between(added, fixed)}; a twin of bare ${fixed(noise.median)} ms ${between(noise, fixed)}`,
  )
}

function bareFirst(one: string, other: string): number {
  return Number(other === 'bare') - Number(one === 'bare')
}

function between({ low, high }: Estimate, text: (value: number) => string): string {
  return `[${text(low).trim()} … ${text(high).trim()}]`
}

function fixed(value = Number.NaN): string {
  return value.toFixed(2)
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en').padStart(9)
}
