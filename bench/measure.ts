/** One way to do the work of a scenario: consume `messages` that are already there, from the first take to the last settlement. */
export interface Contender {
  readonly name: string
  /** Everything that is not measured: opens, fills, warms up. */
  prepare(messages: number): Promise<PreparedRun>
}

export interface PreparedRun {
  run(): Promise<void>
  cleanUp(): Promise<void>
}

export interface Sample {
  readonly perSecond: number
  readonly cpuMicrosPerMessage: number
}

/** One run of one contender. Processor time counts the whole process, worker threads included. */
export async function sample(contender: Contender, messages: number): Promise<Sample> {
  const prepared = await contender.prepare(messages)
  globalThis.gc?.()
  const cpuBefore = process.cpuUsage()
  const startedAt = process.hrtime.bigint()
  await prepared.run()
  const elapsed = Number(process.hrtime.bigint() - startedAt) / 1e9
  const cpu = process.cpuUsage(cpuBefore)
  await prepared.cleanUp()
  return { perSecond: messages / elapsed, cpuMicrosPerMessage: (cpu.user + cpu.system) / messages }
}

/**
 * Rounds are interleaved, and each round starts with another contender, so that a machine that gets slower or faster meanwhile
 * does so for everybody.
 */
export async function interleave(
  contenders: readonly Contender[],
  messages: number,
  rounds: number,
): Promise<Map<string, Sample[]>> {
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]))
  for (const contender of contenders) await sample(contender, Math.min(messages, 20_000))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(round + turn) % contenders.length]
      if (contender) samples.get(contender.name)?.push(await sample(contender, messages))
    }
  }
  return samples
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? 0, sorted[Math.floor(middle)] ?? 0]
  return (low + high) / 2
}

/** A distribution-free interval for the median: the order statistics that hold it with at least 95 % confidence. */
export function medianInterval(values: readonly number[]): readonly [number, number] {
  const sorted = [...values].sort((a, b) => a - b)
  const n = sorted.length
  let outside = 2 / 2 ** n
  let rank = 0
  for (let chance = n / 2 ** n; outside + 2 * chance <= 0.05 && rank + 1 < n / 2; ) {
    outside += 2 * chance
    rank++
    chance = (chance * (n - rank)) / (rank + 1)
  }
  return [sorted[rank] ?? 0, sorted[n - 1 - rank] ?? 0]
}
