/** One way to do the work of a scenario: consume `messages` that are already there, from the first take to the last settlement. */
export interface Contender {
  readonly name: string
  /** Everything that is not measured: opens and fills. */
  prepare(messages: number): Promise<PreparedRun>
}

export interface PreparedRun {
  run(): Promise<void>
  /** What the run has found out beside its rate and its processor time. */
  figures?(): Figures
  cleanUp(): Promise<void>
}

export type Figures = Readonly<Record<string, number>>

export interface Sample {
  readonly perSecond: number
  readonly cpuMicrosPerMessage: number
  readonly figures: Figures
}

/** One run. Processor time counts the whole process: worker threads, garbage collection and compiler included. */
export async function measure(prepared: PreparedRun, messages: number): Promise<Sample> {
  globalThis.gc?.()
  const cpuBefore = process.cpuUsage()
  const startedAt = process.hrtime.bigint()
  await prepared.run()
  const elapsed = Number(process.hrtime.bigint() - startedAt) / 1e9
  const cpu = process.cpuUsage(cpuBefore)
  return {
    perSecond: messages / elapsed,
    cpuMicrosPerMessage: (cpu.user + cpu.system) / messages,
    figures: prepared.figures?.() ?? {},
  }
}
