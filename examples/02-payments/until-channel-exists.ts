import { setTimeout as sleep } from 'node:timers/promises'
import { RedriveError } from '../../src/redrive.ts'
import type { Transport } from '../../src/transports/seam.ts'

/** The workers create their channels when they start; whoever starts before them waits for that. */
export async function untilChannelExists(transport: Transport, name: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await transport.measure({ name })
      return
    } catch (error) {
      if (!(error instanceof RedriveError && error.code === 'unknown-channel')) throw error
      await sleep(200, undefined, { signal }).catch(() => {})
    }
  }
}
