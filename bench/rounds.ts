import { ContenderDied, type ContenderProcess, startContender } from './contender-process.ts'
import type { Sample } from './measure.ts'
import type { Scenario } from './scenario.ts'
import { median } from './statistics.ts'

/** What each contender gave in one round, by name. */
export type Round = ReadonlyMap<string, Sample>

export interface Plan {
  readonly messages: number
  readonly rounds: number
  readonly wanted: (contender: string) => boolean
  /** Told after each round. */
  readonly onRound: (round: Round, played: number) => void
}

/**
 * Each round has new processes, so that a round that got a bad start spoils only itself. All are warmed up and filled before the
 * first one runs: then the runs that are compared follow upon each other, and whatever slows the machine down slows all. Each
 * round starts with another contender.
 */
export async function playRounds(
  suite: string,
  scenario: Scenario,
  { messages, rounds, wanted, onRound }: Plan,
): Promise<Round[]> {
  const names = scenario
    .contenders()
    .map(({ name }) => name)
    .filter(wanted)
  const played: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const order = names.map((_, turn) => names[(round + turn) % names.length] as string)
    const samples = await playRound(suite, scenario, messages, order)
    played.push(samples)
    onRound(samples, played.length)
  }
  return withBestBare(played)
}

async function playRound(suite: string, scenario: Scenario, messages: number, order: readonly string[]): Promise<Round> {
  let running = order.map((name) => startContender(suite, scenario.name, name))
  const samples = new Map<string, Sample>()
  const enough = new Map<ContenderProcess, number>()

  /** A loop by hand or a peer that dies of what it did not expect is told, and missing in this round. Redrive may not. */
  async function each(work: (contender: ContenderProcess) => Promise<void>): Promise<void> {
    for (const contender of running) {
      try {
        await work(contender)
      } catch (error) {
        if (!(error instanceof ContenderDied) || contender.name.startsWith('redrive')) throw error
        console.log(`  ${scenario.name}: ${error.message}`)
        running = running.filter((other) => other !== contender)
      }
    }
  }

  await each(async (contender) => void enough.set(contender, (await warmUp(contender, scenario, messages)) * longestRun))
  await each((contender) => contender.prepare(Math.min(messages, Math.ceil(enough.get(contender) ?? messages))))
  await each(async (contender) => void samples.set(contender.name, await contender.run()))
  for (const contender of running) await contender.stop()
  return samples
}

/** Runs are as long as the fastest contender needs to be past its first second; one that is ten times slower gets fewer messages. Seconds. */
const longestRun = 15

/** A consumer runs for weeks: what the compiler does in its first second is not what a message costs. Tells the rate of the last run. */
async function warmUp(contender: ContenderProcess, scenario: Scenario, messages: number): Promise<number> {
  const { warmUp = 50_000, warmUps = 1, warmUpFor = 0 } = scenario
  const some = Math.min(messages, warmUp)
  let rate = Number.POSITIVE_INFINITY
  for (let times = 0, ranFor = 0; times < warmUps || ranFor < warmUpFor; times++) {
    await contender.prepare(some)
    rate = (await contender.run()).perSecond
    ranFor += (some / rate) * 1000
  }
  return rate
}

/** All that have a sample in any of them. */
export function contendersIn(rounds: readonly Round[]): string[] {
  return [...new Set(rounds.flatMap((round) => [...round.keys()]))]
}

/** Others had less than a tenth of the machine while any contender ran. */
export function isCalm(round: Round): boolean {
  return [...round.values()].every(({ others }) => others < 0.1)
}

/** Where there are several ways to write bare, the fastest is the one that the others are compared with. */
function withBestBare(rounds: readonly Round[]): Round[] {
  const ways = contendersIn(rounds).filter((name) => name.startsWith('bare-'))
  const rate = (name: string): number => median(rounds.map((round) => round.get(name)?.perSecond ?? 0))
  const [best] = ways.sort((a, b) => rate(b) - rate(a))
  return rounds.map((round) => new Map([...round].map(([name, sample]) => [name === best ? 'bare' : name, sample])))
}

/** `value` of one contender beside another, round by round. */
export function pairwise(
  rounds: readonly Round[],
  name: string,
  value: (mine: Sample, other: Sample) => number,
  beside = 'bare',
): number[] {
  return rounds.flatMap((round) => {
    const [mine, other] = [round.get(name), round.get(beside)]
    return mine && other ? [value(mine, other)] : []
  })
}
