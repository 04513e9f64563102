import type { Clock } from '../../core/ports.ts'

/** Lets one wait for something, but not for ever. */
export interface Patience {
  /** Resolves after so many milliseconds, or when somebody ends it. */
  wait(ms: number): Promise<void>
  end(): void
}

export function createPatience(clock: Clock): Patience {
  let wake: (() => void) | undefined
  return {
    async wait(ms) {
      await new Promise<void>((resolve) => {
        const cancel = clock.after(ms, resolve)
        wake = () => {
          cancel()
          resolve()
        }
      })
    },
    end() {
      wake?.()
      wake = undefined
    },
  }
}
