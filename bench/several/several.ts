import { startBroker } from '../../scripts/brokers/start.ts'
import { type Estimate, estimate } from '../statistics.ts'
import { count } from '../summary.ts'
import { type Collection, collectWith } from './collection.ts'

export interface SeveralReport {
  readonly one: readonly Collection[]
  readonly three: readonly Collection[]
  /** Three as a multiple of one, by letters in a second, round by round. */
  readonly ratio: Estimate
}

const sources = 6

/** Of a processor, for a control plane on a small machine: three of them leave half of two processors to PostgreSQL and Redis. */
export const smallShare: number = 1 / 3

/** The same letters are collected by one control plane and by three, in turns; who goes first changes. */
export async function severalBench(letters: number, rounds: number, share?: number): Promise<SeveralReport> {
  const [vault, broker] = [await startBroker('postgres'), await startBroker('redis')]
  const stage = { vault, broker, sources, letters, ...(share !== undefined && { share }) }
  const [one, three]: [Collection[], Collection[]] = [[], []]
  try {
    for (let round = 0; round < rounds; round++) {
      const turns = [async () => one.push(await collectWith(1, stage)), async () => three.push(await collectWith(3, stage))]
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn()
    }
  } finally {
    await Promise.all([vault.stop(), broker.stop()])
  }
  return { one, three, ratio: estimate(one.map((each, round) => each.ms / (three[round]?.ms ?? Number.NaN))) }
}

export function printSeveral(name: string, { one, three, ratio }: SeveralReport): void {
  const [first] = one
  console.log(
    `${name}: ${count(first?.letters ?? 0).trim()} letters of 1 KiB in ${sources} queues of Redis, ${one.length} rounds`,
  )
  print('one', one)
  print('three', three)
  console.log(`  three as a multiple of one: ${ratio.median.toFixed(2)} [${ratio.low.toFixed(2)} … ${ratio.high.toFixed(2)}]`)
}

function print(name: string, collections: readonly Collection[]): void {
  const of = (value: (collection: Collection) => number): number => estimate(collections.map(value)).median
  const rates = collections.map(({ letters, ms }) => count((letters * 1000) / ms).trim())
  const micros = (spent: (cpu: Collection['cpu']) => number): number =>
    Math.round(of(({ cpu, letters }) => (spent(cpu) * 1000) / letters))
  const planes = micros((cpu) => cpu.planes.reduce((sum, ms) => sum + ms, 0))
  const share = (value: (collection: Collection) => number): string => `${Math.round(of(value) * 100)} %`
  console.log(`  ${name}: ${count(of(({ letters, ms }) => (letters * 1000) / ms)).trim()} letters/s (${rates.join('; ')})`)
  const had = share(({ cpu, ms }) => cpu.planes.reduce((sum, spent) => sum + spent, 0) / cpu.planes.length / ms)
  console.log(
    `    microseconds of processor a letter: control planes ${planes}, PostgreSQL ${micros((cpu) => cpu.postgres)}, Redis ${micros((cpu) => cpu.broker)}`,
  )
  console.log(`    each control plane had ${had} of a processor; both processors were busy ${share(({ busy }) => busy)}`)
  console.log(
    `    somebody writes ${share(({ writing }) => writing)} of the time, ${of(({ writers }) => writers).toFixed(1)} at once, and the server works for each ${share(({ serving }) => serving)} of that; ${of(({ waiting }) => waiting).toFixed(1)} wait to write`,
  )
}
