import { hasCode, RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { Delivery, Settlement } from '../seam.ts'
import { createUnanswered } from '../unanswered.ts'
import type { Held, Holdings } from './holdings.ts'
import type { OwnPast, Standing } from './own-past.ts'
import type { PollingReceiver } from './receiver.ts'

export interface SettlingContext<Queue> {
  readonly clock: Pick<Clock, 'monotonic' | 'now'>
  readonly holdings: Holdings<Queue>
  readonly past: OwnPast
  readonly receivers: Iterable<PollingReceiver<Queue>>
  heldOf(delivery: Delivery): Held<Queue>
  /** Throws when the transport is closed. */
  checkOpen(): void
  /** Who completes has to name the receipt that the last extension gave. */
  readonly extendingChangesReceipt: boolean
  /** What carries it out; throws for what the server cannot do, and then the delivery is as it was. */
  writeFor(held: Held<Queue>, settlement: Settlement): () => Promise<void>
  /** Hides a delivery from everybody for so many milliseconds from now; 0 gives it back. */
  hide(held: Held<Queue>, ms: number): Promise<void>
}

/** The verbs of the seam that concern what is held: each delivery is settled once, by whoever comes first. */
export interface Settling<Queue> {
  settle(delivery: Delivery, settlement: Settlement): Promise<void>
  /** Keeps a delivery for so many milliseconds, as many of them as `most` allows, and tells until when it is ours. */
  extend(delivery: Delivery, ms: number, most: (held: Held<Queue>) => number): Promise<number>
  /** Lets it go, hidden for so long, and remembers how it stands. */
  giveBack(held: Held<Queue>, ms: number, standing: Standing): Promise<void>
  /** Of what nobody saw. It comes again in any case; at the latest when its hold is over. */
  release(held: Held<Queue>): Promise<void>
  /** The transport closes: whoever still has a delivery is told why, and what was held is for others. */
  releaseAll(reason: RedriveError): Promise<void>
  /** Resolves when nothing is being settled. */
  none(): Promise<void>
}

export function createSettling<Queue>(context: SettlingContext<Queue>): Settling<Queue> {
  const { clock, holdings, past, receivers, heldOf, checkOpen, extendingChangesReceipt, writeFor, hide } = context
  const settlements = createUnanswered()

  /** Our own clock is asked first: a server may take a settlement of a delivery that somebody else has by now. */
  function checkHeld(held: Held<Queue>): void {
    if (!held.loss && held.until <= clock.monotonic()) holdings.lose(held)
    if (held.loss) throw held.loss
  }

  /** Should it fail, it is in our hands again and can be settled anew, unless it was lost meanwhile. */
  async function settleOnce(held: Held<Queue>, kind: Settlement['kind'], write: () => Promise<void>): Promise<void> {
    holdings.remove(held)
    settlements.began()
    try {
      await carryOut(held, kind, write)
    } catch (error) {
      delete held.settling
      if (!held.loss) holdings.add(held)
      loseWhere(held, error)
      throw error
    } finally {
      settlements.ended()
    }
  }

  /**
   * An extension that arrives behind what was decided would hide what was given back, and some servers know the delivery by another receipt
   * afterwards. Where its answer is long in coming, somebody else may have the delivery by then.
   */
  async function carryOut(held: Held<Queue>, kind: Settlement['kind'], write: () => Promise<void>): Promise<void> {
    if (held.extending && (kind !== 'complete' || extendingChangesReceipt)) {
      await held.extending.catch((error) => loseWhere(held, error))
      checkHeld(held)
    }
    await write()
  }

  function loseWhere(held: Held<Queue>, error: unknown): void {
    if (hasCode(error, 'hold-lost')) holdings.lose(held)
  }

  /** Remembered before it is done: it may be back before the answer is. */
  async function giveBack(held: Held<Queue>, ms: number, standing: Standing): Promise<void> {
    const name = pastName(held)
    past.letGo(name, held.count, standing)
    if (held.lane !== undefined) for (const receiver of receivers) receiver.giveBackLane(held)
    await hide(held, ms).catch((error) => {
      past.forget(name)
      throw error
    })
  }

  async function hideFor(held: Held<Queue>, ms: number): Promise<void> {
    const asked = clock.monotonic()
    try {
      await hide(held, ms)
    } catch (error) {
      // Of what was completed meanwhile, the server knows nothing any more.
      if (!held.settling) loseWhere(held, error)
      throw error
    }
    held.until = asked + ms
  }

  /** What is over by our own clock may be somebody else's, and a server may take what is said of it all the same. */
  async function release(held: Held<Queue>): Promise<void> {
    if (held.until <= clock.monotonic()) holdings.lose(held)
    holdings.remove(held)
    if (!held.loss) await carryOut(held, 'release', () => giveBack(held, 0, held)).catch(() => {})
  }

  return {
    async settle(delivery, settlement) {
      checkOpen()
      const held = heldOf(delivery)
      if (held.settling) return held.settling
      checkHeld(held)
      const write = writeFor(held, settlement)
      held.settling = settleOnce(held, settlement.kind, write)
      return held.settling
    },

    async extend(delivery, ms, most) {
      checkOpen()
      const held = heldOf(delivery)
      if (held.settling) throw new RedriveError('hold-lost', 'The delivery has been settled.')
      checkHeld(held)
      const allowed = Math.min(ms, most(held))
      if (allowed <= 0) return heldUntil(held, clock)
      // One that is under way answers whoever asks again meanwhile: another behind it would come too late.
      held.extending ??= hideFor(held, allowed).finally(() => delete held.extending)
      await held.extending
      return heldUntil(held, clock)
    },

    giveBack,
    release,
    none: settlements.none,

    async releaseAll(reason) {
      await Promise.all(
        holdings.all().map((held) => {
          held.controller?.abort(reason)
          return release(held)
        }),
      )
    },
  }
}

/** A message that was dead-lettered by the server keeps its id in another queue. */
export function pastName({ place, id }: Pick<Held<unknown>, 'place' | 'id'>): string {
  return `${id} ${place}`
}

/** On the clock that everybody reads. */
export function heldUntil({ until }: Pick<Held<unknown>, 'until'>, clock: Pick<Clock, 'now' | 'monotonic'>): number {
  return clock.now() + until - clock.monotonic()
}
