import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'

/** Rejects with `unsure` when it takes longer: the library has calls that never end. */
export async function withinTime<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const cancel = clock.after(ms, () => reject(new RedriveError('unsure', `Kafka did not answer within ${ms} ms.`)))
  // Whoever comes too late must not end the process by its failure.
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    cancel()
  }
}
