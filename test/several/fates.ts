import type { Instance } from './instances.ts'

/** What befalls the one that works, and how that ends. A process that was killed does not wake up. */
export interface Fate {
  begin(instance: Instance): Promise<void>
  end(instance: Instance): void
}

export const killed: Fate = { begin: (instance) => instance.kill(), end: () => {} }
export const frozen: Fate = { begin: async (instance) => instance.freeze(), end: (instance) => instance.wake() }

export const fates: readonly (readonly [string, Fate])[] = [
  ['is killed with SIGKILL', killed],
  ['is frozen for longer than its lease, and wakes up', frozen],
]
