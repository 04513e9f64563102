import type { Sample } from '../core/alerts/monitor/alert-rule.ts'
import { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { Transport } from '../transports/seam.ts'

/** Counts the letters in a channel. Never rejects: a probe that fails, or takes too long, is a sample that says so. */
export async function probe(transport: Transport, channel: string, timeout: number, clock: Clock): Promise<Sample> {
  const { promise: late, resolve } = Promise.withResolvers<'timed-out'>()
  const cancel = clock.after(timeout, () => resolve('timed-out'))
  try {
    const measured = await Promise.race([transport.measure({ name: channel }), late])
    const at = clock.monotonic()
    return measured === 'timed-out' ? { at, failed: measured } : { at, count: measured.retained }
  } catch (error) {
    return { at: clock.monotonic(), failed: error instanceof RedriveError ? error.code : 'unknown' }
  } finally {
    cancel()
  }
}
