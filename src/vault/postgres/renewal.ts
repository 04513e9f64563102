import type { Clock } from '../../core/ports.ts'
import type { Lease } from './lease.ts'
import type { LeaseTiming } from './lease-timing.ts'

/** A lease that is ours, and is renewed until it is given up or somebody else has it. */
export interface Renewal {
  /** Whether it is certain at this moment: to be asked right before what cannot be taken back. */
  isOurs(): boolean
  /** No more of it. Resolves when nothing is under way. */
  stop(): Promise<void>
}

export interface Renewing {
  readonly lease: Lease
  readonly token: string
  readonly clock: Clock
  readonly timing: LeaseTiming
  /** When it was asked for, of the monotonic clock. */
  readonly takenAt: number
  /** Somebody else has it. */
  readonly onLost: () => void
}

/** A server that does not answer has given it to nobody: then it is not certain to be ours, and is asked for again. */
export function keepRenewing({ lease, token, clock, timing, takenAt, onLost }: Renewing): Renewal {
  let trustedUntil = takenAt + timing.trusted
  let isStopped = false
  let rouse: () => void = () => {}
  const renewing = run()

  async function run(): Promise<void> {
    while (!isStopped) {
      const askedAt = clock.monotonic()
      const answer = await lease.renew(token).catch(() => 'nobody answered' as const)
      if (answer === false) return lost()
      if (answer === true) trustedUntil = askedAt + timing.trusted
      if (!isStopped) await pause()
    }
  }

  function lost(): void {
    trustedUntil = Number.NEGATIVE_INFINITY
    if (!isStopped) onLost()
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(timing.renewEvery, resolve, { background: true })
      rouse = () => {
        cancel()
        resolve()
      }
    })
  }

  return {
    isOurs: () => clock.monotonic() < trustedUntil,
    async stop() {
      isStopped = true
      rouse()
      await renewing
    },
  }
}
