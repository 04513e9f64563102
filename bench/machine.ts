import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'

export function machineLine(): string {
  return `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${new Date().toISOString()}`
}

/** Processor time of the whole machine since it started, in the kernel's ticks; undefined where there is no such page (not Linux). */
export interface MachineTime {
  readonly total: number
  /** Worked by anybody, or taken away by the host. */
  readonly busy: number
}

const ticksPerSecond = 100

export function machineTime(): MachineTime | undefined {
  try {
    const ticks = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.trim().split(/\s+/).slice(1, 9).map(Number) ?? []
    const total = ticks.reduce((sum, value) => sum + value, 0)
    const [idle = 0, waitingForDisk = 0] = ticks.slice(3, 5)
    return { total, busy: total - idle - waitingForDisk }
  } catch {
    return undefined
  }
}

/** Which share of the machine others had since then, given what this process had itself. What the host took away counts as theirs. */
export function othersShare(since: MachineTime | undefined, ownMicros: number): number {
  const now = machineTime()
  if (!since || !now || now.total === since.total) return Number.NaN
  const own = (ownMicros / 1e6) * ticksPerSecond
  return Math.max(0, (now.busy - since.busy - own) / (now.total - since.total))
}
