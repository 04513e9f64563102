import type { Clock } from '../core/ports.ts'

/** A pause that may be cut short. */
export interface Sleep {
  during(ms: number): Promise<void>
  rouse(): void
}

/** Of one sleeper: whoever rouses it while it is awake is not heard. */
export function createSleep(clock: Clock): Sleep {
  let rouse: () => void = () => {}
  return {
    during: (ms) =>
      new Promise((resolve) => {
        const cancel = clock.after(ms, done, { background: true })
        rouse = done
        function done(): void {
          cancel()
          rouse = () => {}
          resolve()
        }
      }),
    rouse: () => rouse(),
  }
}
