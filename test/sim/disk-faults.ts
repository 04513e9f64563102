import type { Clock, Files } from '../../src/core/ports.ts'
import type { Chance } from './seeded-random.ts'
import type { DiskWeather } from './weather.ts'

/** How one process meets the disk: every call may take its time and fail, and none of them ends once the process is dead. */
export interface DiskFaults {
  readonly files: Files
  /** From now on the disk is fast and sound. */
  heal(): void
}

export function diskUnderFaults(
  healthy: Files,
  { slowness, faults }: DiskWeather,
  { clock, chance, isAlive }: { readonly clock: Clock; readonly chance: Chance; readonly isAlive: () => boolean },
): DiskFaults {
  let isCalm = slowness === 0 && faults === 0

  /** `effect` is what the kernel does, also for a process that dies of something else in that very moment. */
  async function call<T>(effect: () => Promise<T>): Promise<T> {
    await survive()
    if (!isCalm && slowness > 0) await takeTime()
    const fails = !isCalm && chance.happens(faults)
    if (fails && chance.happens(0.5)) throw inputOutputError()
    const result = await effect()
    await survive()
    if (fails) throw inputOutputError()
    return result
  }

  async function takeTime(): Promise<void> {
    await new Promise<void>((resolve) => void clock.after(chance.between(0, slowness), resolve))
    await survive()
  }

  async function survive(): Promise<void> {
    if (!isAlive()) await new Promise(() => {})
  }

  return {
    heal() {
      isCalm = true
    },
    files: {
      list: (folder) => call(() => healthy.list(folder)),
      makeFolder: (folder) => call(() => healthy.makeFolder(folder)),
      read: (path) => call(() => healthy.read(path)),
      async create(path) {
        const file = await call(() => healthy.create(path))
        return {
          async write(content) {
            // Whoever dies in the middle of a write has written half of it.
            const half = Math.floor(content.byteLength / 2)
            await call(() => file.write(content.subarray(0, half)))
            await call(() => file.write(content.subarray(half)))
          },
          sync: () => call(() => file.sync()),
          close: () => file.close(),
        }
      },
      rename: (from, to) => call(() => healthy.rename(from, to)),
      remove: (path) => call(() => healthy.remove(path)),
      syncFolder: (folder) => call(() => healthy.syncFolder(folder)),
      lock: (path) => call(() => healthy.lock(path)),
    },
  }
}

function inputOutputError(): Error {
  return Object.assign(new Error('EIO: the disk failed'), { code: 'EIO' })
}
