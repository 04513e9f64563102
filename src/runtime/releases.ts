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
   * one that comes back first, or it would hand out the others again before it knows.
   */
  releaseSiblings(turn: Turn): Promise<void>
}

export function createReleases(
  { settings }: ChannelScope,
  lanes: Lanes,
  settler: Settler,
  leave: (turn: Turn) => void,
): Releases {
  return { release, releaseSiblings }

  async function release(turn: Turn, why: ReleaseReason): Promise<void> {
    turn.over = true
    turn.state = 'settling'
    await settler.release(turn, why)
    turn.fenced = true
    if (turn.inHand) leave(turn)
  }

  async function releaseSiblings(turn: Turn): Promise<void> {
    if (turn.lane === undefined || settings.order === 'per-process') return
    const siblings = lanes.sendBackWaiting(turn).filter((sibling) => !sibling.over)
    await Promise.all(siblings.map((sibling) => release(sibling, 'lane-waits')))
  }
}
