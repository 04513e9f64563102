import type { Batches } from './batch/batches.ts'
import type { ReleaseReason } from './holding.ts'
import type { Lanes } from './lanes.ts'
import type { ChannelScope } from './scope.ts'
import type { Settler } from './settlement.ts'
import type { Turn } from './turn.ts'

/** Gives back, uncounted, what does not run. */
export interface Releases {
  release(turn: Turn, why: ReleaseReason): Promise<void>
  /**
   * Later messages of the key must not overtake the one that comes back. The broker keeps them behind it; therefore it gets the
   * one that comes back first, or it would hand out the others again before it knows. Until the last of them is back the lane is
   * to stay closed; and when that took long, whatever came into it meanwhile goes back as well: the broker took them for ours, and
   * gave out what stands behind them.
   */
  releaseSiblings(turn: Turn): Promise<void>
}

/** Within this time nobody gets on who should not: a broker that answers at once has them all back at once. Milliseconds. */
const atOnce = 250

export function createReleases(
  { settings, platform: { clock } }: ChannelScope,
  lanes: Lanes,
  settler: Settler,
  leave: (turn: Turn) => void,
  batches: Batches | undefined,
): Releases {
  /** What is still on its way back, by the key of its lane. */
  const goingBack = new Map<string, Promise<void>>()

  return { release, releaseSiblings }

  async function release(turn: Turn, why: ReleaseReason): Promise<void> {
    turn.over = true
    turn.state = 'settling'
    await settler.release(turn, why)
    turn.fenced = true
    if (turn.inHand) leave(turn)
  }

  async function releaseSiblings(turn: Turn): Promise<void> {
    const key = turn.lane?.key
    if (key === undefined || settings.order === 'per-process') return
    const mine = releaseWaiting(turn, goingBack.get(key))
    goingBack.set(key, mine)
    await mine
    if (goingBack.get(key) === mine) goingBack.delete(key)
  }

  async function releaseWaiting(turn: Turn, earlier: Promise<void> | undefined): Promise<void> {
    await earlier
    for (;;) {
      const startedAt = clock.monotonic()
      const siblings = lanes.sendBackWaiting(turn).filter((sibling) => !sibling.over)
      await Promise.all(siblings.map(sendBack))
      if (clock.monotonic() - startedAt < atOnce) return
    }
  }

  /** One that is in the hands of a batch handler goes back when that is done with it: nobody else may run it meanwhile. */
  async function sendBack(sibling: Turn): Promise<void> {
    await batches?.recall(sibling)
    if (!sibling.over) await release(sibling, 'lane-waits')
  }
}
