import { type SimParts, type SimProcess, startProcess } from './sim-process.ts'

/** The processes of a simulation, all on one machine. */
export interface Fleet {
  /** Starts processes until there are as many as there should be. */
  fill(): Promise<void>
  one(): SimProcess | undefined
  all(): readonly SimProcess[]
  /** All of them die at once, and the disk keeps what was synced, and some of the rest. */
  cutPower(): void
  shock(): void
  shocks(): number
}

export function createFleet(parts: Omit<SimParts, 'newId' | 'died'>): Fleet {
  const { chance, disk, weather } = parts
  let processes: SimProcess[] = []
  let shocks = 0
  let ids = 0
  const living = (): SimProcess[] => processes.filter(({ alive }) => alive)
  return {
    async fill() {
      processes = living()
      while (processes.length < weather.processes) {
        processes.push(await startProcess({ ...parts, newId: () => `id${++ids}`, died: () => void shocks++ }))
      }
    },
    one: () => living()[chance.between(0, Math.max(0, living().length - 1))],
    all: living,
    cutPower() {
      for (const process of living()) process.crash()
      disk.cutPower((most) => chance.between(0, most))
    },
    shock: () => void shocks++,
    shocks: () => shocks,
  }
}
