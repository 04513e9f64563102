import type { Clock } from '../../core/ports.ts'
import { createSleep } from '../../platform/sleep.ts'
import type { Renew } from './lease.ts'
import type { LeaseTiming } from './lease-timing.ts'

/** A lease that is ours, and is renewed until it is given up or somebody else has it. */
export interface Renewal {
  /** Whether it is certain at this moment: to be asked right before what cannot be taken back. */
  isOurs(): boolean
  /** No more of it. Resolves when nothing is under way. */
  stop(): Promise<void>
}

/** All leases of one process, which are renewed together. */
export interface Renewals {
  keep(kept: KeptLease): Renewal
  stop(): Promise<void>
}

export interface KeptLease {
  readonly token: string
  /** When it was asked for, of the monotonic clock. */
  readonly takenAt: number
  /** Somebody else has it. */
  readonly onLost: () => void
}

export interface Renewing {
  readonly renew: Renew
  readonly clock: Clock
  readonly timing: LeaseTiming
}

/** A server that does not answer has given them to nobody: then they are not certain to be ours, and are asked for again. */
export function keepRenewing({ renew, clock, timing }: Renewing): Renewals {
  const kept = new Map<string, { trustedUntil: number; readonly onLost: () => void }>()
  let isStopped = false
  const sleep = createSleep(clock)
  let asking: Promise<void> = Promise.resolve()
  const running = run()

  async function run(): Promise<void> {
    while (!isStopped) {
      await sleep.during(timing.renewEvery)
      if (isStopped) return
      asking = renewAll()
      await asking
    }
  }

  async function renewAll(): Promise<void> {
    const askedAt = clock.monotonic()
    const tokens = [...kept.keys()]
    const ours = await renew(tokens).catch(() => 'nobody answered' as const)
    if (ours === 'nobody answered') return
    for (const token of tokens) {
      const lease = kept.get(token)
      if (!lease) continue
      lease.trustedUntil = ours.has(token) ? askedAt + timing.trusted : Number.NEGATIVE_INFINITY
      if (ours.has(token)) continue
      kept.delete(token)
      lease.onLost()
    }
  }

  return {
    keep({ token, takenAt, onLost }) {
      const lease = { trustedUntil: takenAt + timing.trusted, onLost }
      kept.set(token, lease)
      return {
        isOurs: () => clock.monotonic() < lease.trustedUntil,
        async stop() {
          kept.delete(token)
          await asking
        },
      }
    },
    async stop() {
      isStopped = true
      sleep.rouse()
      await running
    },
  }
}
