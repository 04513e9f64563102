import { machineTime, othersShare } from './machine.ts'

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
  /**
   * Rates are measured after a collection, so that nobody pays for the garbage of its preparation. Where waits are measured that
   * must not be: V8 takes the small heap that a forced collection leaves for the usual one and collects several times a second
   * from then on, which no consumer that runs for weeks does.
   */
  readonly keepsItsHeap?: true
}

export type Figures = Readonly<Record<string, number>>

export interface Sample {
  readonly perSecond: number
  readonly cpuMicrosPerMessage: number
  /** Which share of the machine's processor time others had meanwhile, from 0 to 1: what was measured beside that is worth less. */
  readonly others: number
  readonly figures: Figures
}

/** One run, and the cleaning up behind it. Processor time counts the whole process: worker threads, garbage collection and compiler included. */
export async function measure(prepared: PreparedRun, messages: number): Promise<Sample> {
  if (!prepared.keepsItsHeap) globalThis.gc?.()
  let machineBefore = machineTime()
  let cpuBefore = process.cpuUsage()
  let startedAt = process.hrtime.bigint()
  await prepared.run(() => {
    machineBefore = machineTime()
    cpuBefore = process.cpuUsage()
    startedAt = process.hrtime.bigint()
  })
  const elapsed = Number(process.hrtime.bigint() - startedAt) / 1e9
  const cpu = process.cpuUsage(cpuBefore)
  const others = othersShare(machineBefore)
  await prepared.cleanUp()
  return {
    perSecond: messages / elapsed,
    cpuMicrosPerMessage: (cpu.user + cpu.system) / messages,
    others,
    figures: prepared.figures?.() ?? {},
  }
}
