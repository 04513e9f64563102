import { RedriveError } from '../../../src/core/errors.ts'
import type { Clock } from '../../../src/core/ports.ts'
import type { VirtualClock } from '../../../src/platform/virtual-clock.ts'
import type { Vault } from '../../../src/vault/vault.ts'
import type { Chance } from '../seeded-random.ts'

/** What a process has to live with. */
export interface Hardship {
  /** How often a call to the vault fails, before or after it took effect. */
  readonly vaultFaults: number
  /** The most that a call takes. Virtual milliseconds. */
  readonly slowness: number
}

/** A process that can die at every wait: nothing that it had begun goes on, and what it had done stays done. */
export interface Mortality {
  readonly alive: boolean
  readonly clock: Clock
  /** Resolves after a while, and never once the process is dead. */
  takesTime(): Promise<void>
  die(): void
  /** Nothing of it fails any more. */
  heal(): void
  /** The vault as this process meets it: calls take their time, and fail before or after they took effect. */
  vault(sound: Vault): Vault
}

export function mortal(clock: VirtualClock, chance: Chance, { slowness, vaultFaults }: Hardship): Mortality {
  let alive = true
  let isCalm = false

  async function takesTime(): Promise<void> {
    if (slowness > 0 && !isCalm) await new Promise<void>((resolve) => void clock.after(chance.between(0, slowness), resolve))
    if (!alive) await new Promise(() => {})
  }

  async function call<T>(work: () => Promise<T>): Promise<T> {
    await takesTime()
    const fails = !isCalm && chance.happens(vaultFaults)
    if (fails && chance.happens(0.5)) throw new RedriveError('store-failed', 'The disk is full.')
    const result = await work()
    await takesTime()
    if (fails) throw new RedriveError('unsure', 'Nobody knows whether it was written.')
    return result
  }

  return {
    get alive() {
      return alive
    },
    clock: { ...clock, after: (ms, callback, options) => clock.after(ms, () => alive && callback(), options) },
    takesTime,
    die() {
      alive = false
    },
    heal() {
      isCalm = true
    },
    vault: (sound) => ({
      write: ((name: never, input: never) => call(() => sound.write(name, input))) as Vault['write'],
      read: ((name: never, input: never) => call(() => sound.read(name, input))) as Vault['read'],
      close: async () => {},
    }),
  }
}
