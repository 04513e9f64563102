import type { Cancel, Clock } from '../../core/ports.ts'
import type { Holdings } from './holdings.ts'
import type { EmbeddedReceiver } from './receiver.ts'
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
  readonly receivers: ReadonlySet<EmbeddedReceiver>
  readonly pollEvery: number
  readonly sweepEvery: number
}

/** How long after its end a lease is asked about. Whoever took it over in this process has said so already. */
const auditEvery = 500

export function createChores(context: ChoreContext): Chores {
  const { clock, writer, holdings, receivers, pollEvery, sweepEvery } = context
  const polling = repeating(clock, pollEvery, poll)
  const sweeping = repeating(clock, sweepEvery, sweep)
  const auditing = repeating(clock, auditEvery, audit)

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

  async function audit(): Promise<void> {
    const now = clock.now()
    const overdue = holdings.all().filter((held) => held.until <= now)
    if (overdue.length === 0) return
    const lost = await writer.perform<'audit'>({ kind: 'audit', holds: overdue.map(({ hold }) => hold) }).catch(() => [])
    for (const hold of lost) {
      const held = holdings.find(hold)
      if (held) holdings.lose(held)
    }
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

interface Repeating {
  start(): void
  stop(): void
}

function repeating(clock: Clock, every: number, work: () => void): Repeating {
  let cancel: Cancel | undefined
  const again = () => {
    cancel = clock.after(every, tick, { background: true })
  }
  function tick(): void {
    again()
    work()
  }
  return {
    start() {
      if (!cancel) again()
    },
    stop() {
      cancel?.()
      cancel = undefined
    },
  }
}
