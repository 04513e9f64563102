import type { Clock } from '../../core/ports.ts'
import { createAudit } from '../leases/audit.ts'
import type { Holdings } from '../leases/holdings.ts'
import type { LeaseReceiver } from '../leases/receiver.ts'
import { repeating } from '../leases/repeating.ts'
import type { WriterLink } from './writer-link.ts'

/** What has to be done from time to time, and only while there is a reason to. */
export interface Chores {
  /** A `take` has begun to wait: from now on somebody looks whether other processes write. */
  watchOthers(): void
  /** The transport is in use: old messages expire, and holds that others took over are noticed. */
  start(): void
  stop(): void
}

export interface ChoreContext {
  readonly clock: Clock
  readonly writer: WriterLink
  readonly holdings: Holdings
  readonly receivers: ReadonlySet<LeaseReceiver>
  readonly pollEvery: number
  readonly sweepEvery: number
}

export function createChores(context: ChoreContext): Chores {
  const { clock, writer, holdings, receivers, pollEvery, sweepEvery } = context
  const polling = repeating(clock, pollEvery, poll)
  const sweeping = repeating(clock, sweepEvery, sweep)
  const auditing = createAudit(clock, holdings, (holds) => writer.perform<'audit'>({ kind: 'audit', holds }))

  function poll(): void {
    const someoneWaits = [...receivers].some((receiver) => receiver.waiting())
    if (someoneWaits) writer.poll()
    else polling.stop()
  }

  async function sweep(): Promise<void> {
    // A sweep that fails is tried again at its next time; whatever is wrong with the file, other calls say so.
    const more = await writer.perform<'sweep'>({ kind: 'sweep' }).catch(() => false)
    if (more) await sweep()
  }

  return {
    watchOthers: polling.start,
    start() {
      sweeping.start()
      auditing.start()
    },
    stop() {
      for (const chore of [polling, sweeping, auditing]) chore.stop()
    },
  }
}
