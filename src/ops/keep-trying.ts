import { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'

const longestPause = 30_000

export interface Trying {
  readonly clock: Clock
  readonly onProblem?: (problem: RedriveError) => void
}

/** Does it again and again until it is told to stop; after a failure it waits, longer each time until something goes well. */
export async function tryingAgain(
  stop: AbortSignal,
  { clock, onProblem }: Trying,
  work: (goesWell: () => void) => Promise<void>,
): Promise<void> {
  for (let failures = 0; !stop.aborted; ) {
    try {
      await work(() => {
        failures = 0
      })
    } catch (error) {
      failures++
      onProblem?.(problemOf(error))
      await pauseUnlessStopped(Math.min(longestPause, 250 * 2 ** failures), stop, clock)
    }
  }
}

export function pauseUnlessStopped(ms: number, stop: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve()
    const cancel = clock.after(ms, done, { background: true })
    stop.addEventListener('abort', done, { once: true })
    function done(): void {
      cancel()
      stop.removeEventListener('abort', done)
      resolve()
    }
  })
}

function problemOf(error: unknown): RedriveError {
  return error instanceof RedriveError ? error : new RedriveError('store-failed', 'Reading a source failed.', { cause: error })
}
