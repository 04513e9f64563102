import { readdirSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'

export function machineLine(): string {
  return `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${new Date().toISOString()}`
}

/** Processor time of the whole machine since it started, in the kernel's ticks; undefined where there is no such page (not Linux). */
export interface MachineTime {
  readonly total: number
  /** Worked by anybody, or taken away by the host. */
  readonly busy: number
  /** Worked by the benchmark, its contenders and the brokers that it started. */
  readonly ours: number
}

export function machineTime(): MachineTime | undefined {
  try {
    const ticks = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.trim().split(/\s+/).slice(1, 9).map(Number) ?? []
    const total = ticks.reduce((sum, value) => sum + value, 0)
    const [idle = 0, waitingForDisk = 0] = ticks.slice(3, 5)
    return { total, busy: total - idle - waitingForDisk, ours: timeOfFamily(process.ppid) }
  } catch {
    return undefined
  }
}

/** Which share of the machine others had since then. What the host took away counts as theirs. */
export function othersShare(since: MachineTime | undefined): number {
  const now = machineTime()
  if (!since || !now || now.total === since.total) return Number.NaN
  return Math.max(0, (now.busy - since.busy - (now.ours - since.ours)) / (now.total - since.total))
}

interface Process {
  readonly pid: number
  readonly parent: number
  readonly ticks: number
}

/** Processor time of a process and of all that descend from it and still run. */
export function timeOfFamily(head: number): number {
  const processes = readdirSync('/proc').filter(isNumber).flatMap(processOf)
  const family = new Set([head])
  for (let known = 0; known < family.size; ) {
    known = family.size
    for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid)
  }
  return processes.reduce((sum, { pid, ticks }) => sum + (family.has(pid) ? ticks : 0), 0)
}

/** Milliseconds, of what the kernel counts in hundredths of a second. */
export function millisecondsOf(ticks: number): number {
  return ticks * 10
}

export function parentOf(pid: number): number {
  return processOf(String(pid))[0]?.parent ?? 0
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name)
}

/** One that has ended since the folder was read has no page any more. */
function processOf(pid: string): readonly Process[] {
  try {
    // Its name stands in parentheses and may hold anything, spaces and parentheses included.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return [{ pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }]
  } catch {
    return []
  }
}
