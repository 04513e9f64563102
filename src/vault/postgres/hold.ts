import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import type { Hold } from '../turns.ts'
import { type Lease, renewing, workLease } from './lease.ts'
import { type LeaseTiming, usualTiming } from './lease-timing.ts'
import { openLine } from './line.ts'
import { keepRenewing } from './renewal.ts'
import { endAllShares } from './shared-leases.ts'

export interface Holding {
  readonly schema: string
  /** Nobody has used it before: what is written in its name is refused once another one has the vault. */
  readonly token: string
  /** What people know us by. */
  readonly name: string
  readonly clock: Clock
  readonly timing?: LeaseTiming
  /** Another one has it. */
  readonly onLost: () => void
}

/** For whoever does not wait for a turn: it is refused while somebody works. The lease of one that was killed is waited for, because nobody renews it. */
export async function holdVault(connections: Connections, holding: Holding): Promise<Hold> {
  const { schema, token, name, clock, timing = usualTiming, onLost } = holding
  const line = openLine(connections, { clock, answerWithin: timing.lasts / 2 })
  const options = { schema, name, lasts: timing.lasts }
  const lease = workLease(connections, line, options)
  const renewals = keepRenewing({ renew: renewing(line, options), clock, timing })
  try {
    const takenAt = await taken(lease, token, clock, timing)
    const renewal = renewals.keep({ token, takenAt, onLost })
    await endAllShares(connections, schema)
    return {
      isOurs: renewal.isOurs,
      async release() {
        await renewals.stop()
        // What is not given back ends by itself.
        await lease.giveBack(token).catch(() => {})
        await line.close()
      },
    }
  } catch (error) {
    await renewals.stop()
    await line.close()
    throw error
  }
}

/** When it was asked for. One that was renewed while we looked has a holder who lives. */
async function taken(lease: Lease, token: string, clock: Clock, { lookEvery }: LeaseTiming): Promise<number> {
  for (let seen: string | undefined; ; ) {
    const askedAt = clock.monotonic()
    if (await lease.take(token)) return askedAt
    const found = await lease.holder()
    if (found?.isCurrent && seen !== undefined && seen !== found.endsAt) throw isHeld(found.name)
    if (found?.isCurrent) seen = found.endsAt
    await new Promise<void>((resolve) => clock.after(lookEvery / 4, resolve))
  }
}

function isHeld(name: string): RedriveError {
  return new RedriveError(
    'conflict',
    `A control plane runs on this vault (${name}). Ask it with --server, stop it first, or use a vault of your own.`,
  )
}
