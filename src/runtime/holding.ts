import { delayFor } from '../core/backoff.ts'
import type { Backoff } from '../core/policy.ts'
import type { ChannelScope } from './scope.ts'
import type { Turn } from './turn.ts'

export type ReleaseReason = 'shutdown' | 'held-too-long' | 'lane-waits' | 'paused'

/** Where turns wait whose settlement the broker did not take, until it is tried again. */
export interface Holding {
  begin(turn: Turn): void
  end(turn: Turn): void
  /** Waits a while, longer after each failure; resolves with a reason when the turn is to be released instead. */
  wait(turn: Turn, failures: number): Promise<ReleaseReason | undefined>
  /** Ends the wait of this turn with a release. */
  giveUp(turn: Turn, why: ReleaseReason): void
  /** Ends the wait of a turn that is not ours any more. */
  stop(turn: Turn): void
  /** From now on nothing waits. */
  drain(): void
}

export interface HoldingListener {
  held(turn: Turn): void
  freed(turn: Turn): void
}

const backoff: Backoff = { kind: 'exponential', first: 500, max: 15_000, factor: 2, jitter: 0.2 }

export function createHolding({ platform, stats }: ChannelScope, listener: HoldingListener): Holding {
  const waits = new Map<Turn, (giveUp?: ReleaseReason) => void>()
  let draining = false
  return {
    begin(turn) {
      turn.state = 'held'
      turn.heldSince = platform.clock.monotonic()
      stats.held++
      listener.held(turn)
    },
    end(turn) {
      if (turn.inHand) turn.state = 'settling'
      stats.held--
      listener.freed(turn)
    },
    async wait(turn, failures) {
      if (draining) return 'shutdown'
      return new Promise((resolve) => {
        const end = (giveUp?: ReleaseReason): void => {
          cancel()
          waits.delete(turn)
          resolve(giveUp)
        }
        const cancel = platform.clock.after(delayFor(backoff, failures, platform.random()), () => end())
        waits.set(turn, end)
      })
    },
    giveUp: (turn, why) => waits.get(turn)?.(why),
    stop: (turn) => waits.get(turn)?.(),
    drain() {
      draining = true
      for (const end of [...waits.values()]) end('shutdown')
    },
  }
}
