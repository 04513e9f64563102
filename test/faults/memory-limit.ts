import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A group of processes that the kernel kills when together they take more memory. */
export interface MemoryLimit {
  put(pid: number): void
  /** Once nobody is in it any more. */
  remove(): void
}

const first = '/sys/fs/cgroup/memory'
const second = '/sys/fs/cgroup'

/** `undefined` where this user may make no such group. Version 1 of control groups, or version 2. */
export function memoryLimit(megabytes: number): MemoryLimit | undefined {
  const isFirst = existsSync(join(first, 'memory.limit_in_bytes'))
  const folder = join(isFirst ? first : second, `redrive-faults-${process.pid}-${Date.now()}`)
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(megabytes * 1024 * 1024))
  } catch {
    return undefined
  }
  return {
    put: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
    remove: () => rmdirSync(folder),
  }
}
