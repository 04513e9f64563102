/** One way to do the work of a scenario: consume `messages` that are already there, from the first take to the last settlement. */
export interface Contender {
  readonly name: string
  /** Everything that is not measured: opens and fills. */
  prepare(messages: number): Promise<PreparedRun>
}

export interface PreparedRun {
  /** Calls `begin` when only what follows is to be measured. */
  run(begin: () => void): Promise<void>
  cleanUp(): Promise<void>
  /** What the run and the cleaning up have found out beside its rate and its processor time. */
  figures?(): Figures
}

export type Figures = Readonly<Record<string, number>>

export interface Sample {
  readonly perSecond: number
  readonly cpuMicrosPerMessage: number
  readonly figures: Figures
}

/** One run, and the cleaning up behind it. Processor time counts the whole process: worker threads, garbage collection and compiler included. */
export async function measure(prepared: PreparedRun, messages: number): Promise<Sample> {
  globalThis.gc?.()
  let cpuBefore = process.cpuUsage()
  let startedAt = process.hrtime.bigint()
  await prepared.run(() => {
    cpuBefore = process.cpuUsage()
    startedAt = process.hrtime.bigint()
  })
  const elapsed = Number(process.hrtime.bigint() - startedAt) / 1e9
  const cpu = process.cpuUsage(cpuBefore)
  await prepared.cleanUp()
  return {
    perSecond: messages / elapsed,
    cpuMicrosPerMessage: (cpu.user + cpu.system) / messages,
    figures: prepared.figures?.() ?? {},
  }
}
