import { hasCode } from '../core/errors.ts'
import { sanitiseError } from '../core/sanitise.ts'
import type { Settlement } from '../transports/seam.ts'
import type { Holding, ReleaseReason } from './holding.ts'
import { messageEvent } from './message-event.ts'
import type { ChannelScope } from './scope.ts'
import { looksBegunWhenReleased } from './suspect-copies.ts'
import type { Turn } from './turn.ts'

/** Lets a turn go that was not settled: back to the broker, or because the broker has taken it from us. */
export interface GiveBack {
  /** Gives the turn back uncounted. Never rejects. */
  release(turn: Turn, why: ReleaseReason): Promise<void>
  /** The turn is not ours any more, or nobody knows. */
  lost(turn: Turn, error: unknown): void
}

const completed: Settlement = { kind: 'complete' }
const released: Settlement = { kind: 'release' }

export function createGiveBack(scope: ChannelScope, holding: Holding): GiveBack {
  const { transport, events, stats } = scope
  return { release, lost }

  async function release(turn: Turn, why: ReleaseReason): Promise<void> {
    try {
      await giveBack(turn)
    } catch (error) {
      if (why === 'lane-waits' && (await triesAgain(turn, error))) return release(turn, why)
      // It comes back by itself when its hold ends; only later, and perhaps as a suspect.
      lost(turn, error)
      return
    }
    stats.released++
    events.emit('released', { ...messageEvent(turn, scope), why })
  }

  /** What waits behind it in its lane must not run before it, and so cannot until it is back for certain. */
  async function triesAgain(turn: Turn, error: unknown): Promise<boolean> {
    return !isOver(turn, error) && (await holding.wait(turn, 1)) === undefined && !turn.fenced
  }

  async function giveBack({ delivery }: Turn): Promise<void> {
    if (!looksBegunWhenReleased(delivery, transport.capabilities)) return transport.settle(delivery, released)
    const isCopied = await transport.send(delivery.address, delivery.message).then(
      () => true,
      () => false,
    )
    // Without a copy it goes back as it is and counts: that is less than to keep it where nobody runs it.
    return transport.settle(delivery, isCopied ? completed : released)
  }

  function lost(turn: Turn, error: unknown): void {
    if (turn.fenced) return
    if (hasCode(error, 'hold-lost')) events.emit('hold-lost', messageEvent(turn, scope))
    else events.emit('settle-failed', { ...messageEvent(turn, scope), error: sanitiseError(error, turn.delivery.message) })
  }
}

/** Whatever is tried, this turn cannot be settled by us. */
export function isOver(turn: Turn, error: unknown): boolean {
  return turn.fenced || hasCode(error, 'hold-lost') || hasCode(error, 'closed')
}
