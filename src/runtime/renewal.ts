import { hasCode } from '../core/errors.ts'
import type { Cancel } from '../core/ports.ts'
import type { ChannelScope } from './scope.ts'
import type { Turn } from './turn.ts'

export interface Renewal {
  start(): void
  /** Finds out at once what is still ours, for instance after the connection was lost. */
  askAll(): void
  stop(): void
}

export interface RenewalListener {
  /** It has been in hand for a while. */
  lingers(turn: Turn): void
  /** The broker says that the delivery is not ours any more. */
  lost(turn: Turn): void
  /** Its handler has ignored its signal until `maxHold`. */
  stuck(turn: Turn): void
  /** It has waited for its dead-letter channel, or for the end of an outage, until `maxHold`. */
  heldTooLong(turn: Turn): void
}

/**
 * Keeps everything in hand ours, also what only waits for a free slot: a lock that expires in our own buffer would make a healthy
 * message run twice. One look for all turns, several times within a hold. `strays` are no longer ours and are not renewed; but a
 * handler of theirs that never ends is as stuck as any other.
 */
export function createRenewal(
  scope: ChannelScope,
  inHand: Iterable<Turn>,
  strays: Iterable<Turn>,
  listener: RenewalListener,
): Renewal {
  const { settings, transport, platform } = scope
  const { clock } = platform
  const interval = Math.min(settings.hold, settings.maxHold) / 4
  let cancel: Cancel | undefined

  function look(): void {
    const monotonic = clock.monotonic()
    for (const turn of inHand) {
      listener.lingers(turn)
      if (turn.state === 'running' && isStuck(turn, monotonic)) listener.stuck(turn)
      else if (isHeldTooLong(turn, monotonic)) listener.heldTooLong(turn)
      else if (isDue(turn, monotonic)) void renew(turn)
    }
    for (const turn of strays) if (isStuck(turn, monotonic)) listener.stuck(turn)
    cancel = clock.after(interval, look, { background: true })
  }

  function isHeldTooLong({ state, heldSince }: Turn, monotonic: number): boolean {
    return (state === 'held' || state === 'parked') && monotonic - heldSince >= settings.maxHold - interval
  }

  function isStuck(turn: Turn, monotonic: number): boolean {
    return monotonic - turn.startedAt >= settings.maxHold
  }

  /** Held until when is wall time, which may jump; how long a hold lasts is not. A hold without end is not renewed. */
  function isDue(turn: Turn, monotonic: number): boolean {
    return turn.heldUntil !== Number.POSITIVE_INFINITY && monotonic >= renewalTime(turn, monotonic)
  }

  function renewalTime(turn: Turn, monotonic: number): number {
    if (turn.renewAt === 0) turn.renewAt = monotonic + Math.min(turn.heldUntil - clock.now(), settings.hold) - settings.hold / 2
    return turn.renewAt
  }

  function hasRunOut(turn: Turn): boolean {
    const monotonic = clock.monotonic()
    return turn.heldUntil !== Number.POSITIVE_INFINITY && monotonic >= renewalTime(turn, monotonic) + settings.hold / 2
  }

  async function renew(turn: Turn): Promise<void> {
    try {
      turn.heldUntil = await transport.extend(turn.delivery, settings.hold)
      turn.renewAt = clock.monotonic() + settings.hold / 2
    } catch (error) {
      // Any other failure is tried again at the next look, while the hold lasts by our own reckoning. What is being settled cannot be
      // extended, and is not lost for that.
      const isLost = hasCode(error, 'hold-lost') || hasRunOut(turn)
      if (isLost && turn.state !== 'gone' && !turn.fenced && !turn.isBeingSettled) listener.lost(turn)
    }
  }

  return {
    askAll() {
      for (const turn of inHand) void renew(turn)
    },
    start() {
      cancel ??= clock.after(interval, look, { background: true })
    },
    stop() {
      cancel?.()
      cancel = undefined
    },
  }
}
