import type { Backoff } from '../core/policy.ts'
import type { Clock } from '../core/ports.ts'
import { safeErrorType } from '../core/sanitise.ts'
import { errorTypeOf } from '../core/thrown.ts'
import { notSent, type SendOutcome } from './send-outcome.ts'

/** How long to wait after the first, the second and each further try that failed. */
export const sendBackoff: Backoff = { kind: 'exponential', first: 1000, max: 300_000, factor: 2, jitter: 0.5 }

/** One try to tell somebody, which takes at most so many milliseconds. Never rejects. */
export async function attempt(
  send: (signal: AbortSignal) => Promise<SendOutcome>,
  timeout: number,
  clock: Clock,
): Promise<SendOutcome> {
  const tooLong = new AbortController()
  const { promise: late, resolve } = Promise.withResolvers<SendOutcome>()
  const cancel = clock.after(timeout, () => {
    resolve(notSent('It took too long', true))
    tooLong.abort()
  })
  try {
    return await Promise.race([send(tooLong.signal), late])
  } catch (error) {
    return notSent(`It threw ${safeErrorType(errorTypeOf(error))}`, true)
  } finally {
    cancel()
  }
}
