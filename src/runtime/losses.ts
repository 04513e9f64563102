import { RedriveError } from '../core/errors.ts'
import type { Hold } from '../transports/seam.ts'
import { createHoldWatch } from './hold-watch.ts'
import { messageEvent } from './message-event.ts'
import type { ChannelScope } from './scope.ts'
import type { Turn } from './turn.ts'

/** Finds out which turns are not ours any more, and lets go of them. */
export interface Losses {
  /** Everything that this hold holds is dropped when it is lost. */
  watch(hold: Hold): void
  drop(turn: Turn): void
  /** Drops all whose hold says that it is lost. */
  dropLost(): void
  /** Lost turns whose handler runs on. It keeps its slot, so it is watched like any other until `maxHold`. */
  readonly strays: Set<Turn>
}

/** `leave` takes a fenced turn out of wherever it stands. */
export function createLosses(scope: ChannelScope, inHand: Iterable<Turn>, leave: (turn: Turn) => void): Losses {
  const strays = new Set<Turn>()
  const watch = createHoldWatch((hold) => dropAll((turn) => turn.delivery.hold === hold))

  /** All are fenced before the first one leaves: what waits behind it is lost as well and must not start in its place. */
  function dropAll(isLost: (turn: Turn) => boolean): void {
    const lost = [...inHand].filter((turn) => !turn.fenced && isLost(turn))
    for (const turn of lost) fence(turn)
    for (const turn of lost) drop(turn)
  }

  /** The handler is told to stop, and nothing that it still does counts. */
  function drop(turn: Turn): void {
    scope.events.emit('hold-lost', messageEvent(turn, scope))
    fence(turn)
    if (turn.state === 'running') strays.add(turn)
    turn.context?.abort(new RedriveError('hold-lost', 'the message is no longer ours'))
    leave(turn)
  }

  return { watch, drop, dropLost: () => dropAll((turn) => turn.delivery.hold.signal.aborted), strays }
}

function fence(turn: Turn): void {
  turn.fenced = true
  turn.over = true
}
