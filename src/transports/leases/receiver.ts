import { RedriveError } from '../../core/errors.ts'
import type { Cancel, Clock } from '../../core/ports.ts'
import type { Address, Delivery, ReceiveOptions, Receiver } from '../seam.ts'
import { type Account, type Held, type Holdings, openParcel } from './holdings.ts'
import type { Claim, Claimed, LeaseStore, PendingClaim } from './protocol.ts'
import { createShelf, unpack } from './shelf.ts'

/** A receiver as the transport sees it. */
export interface LeaseReceiver extends Receiver {
  readonly channel: number
  /** Whether a `take` is waiting for something to come. */
  waiting(): boolean
  /** What it would claim now, if anything. */
  nextClaim(): PendingClaim | undefined
  /** Something may have become claimable. */
  stir(): void
}

export interface ReceiverContext {
  readonly clock: Clock
  readonly store: LeaseStore
  readonly holdings: Holdings
  readonly channel: number
  readonly address: Address
  readonly options: ReceiveOptions
  /**
   * Claims no more than a part of its prefetch at a time: a store far away settles and hands out one part while the consumer works on another.
   * Of one large claim a rest would be left when the next is to be made, and then each waits for the other, in turns.
   */
  readonly inParts: boolean
  /** When a lease ends that is to last until then, at least. */
  leaseEnd(until: number): number
  /** A `take` has begun to wait. */
  onWait(): void
  onClose(receiver: LeaseReceiver): void
}

/** How long a message may lie in a buffer before others get their chance. Milliseconds. */
const longestBuffered = 5_000
/** A part is a third: of two, both are on their way whenever both are answered at once, and with four, letters are written in smaller batches. */
const parts = 3
/** But not so small that asking for it costs more than what comes. */
const smallestPart = 32
/** How long a suspect waits for empty hands: longer than most handlers run, and shorter than anybody misses a message. Milliseconds. */
const suspectsWait = 1_000

interface Waiter {
  readonly max: number
  readonly resolve: (deliveries: readonly Delivery[]) => void
  readonly reject: (error: RedriveError) => void
  cancelTimer?: Cancel
  /** Its time is up; it only waits for the claim that is on its way. */
  overdue: boolean
}

/**
 * Claims ahead of what it is asked for, up to `prefetch`, and gives from its buffer.
 *
 * It is *hungry* while there may be something to claim: at first, after something came, and whenever it is stirred. A claim
 * that brings nothing makes it content until somebody sends, a delay or a lease ends, or another process writes.
 *
 * A suspect comes to empty hands, when somebody asks: its turn counts from its claim on, and were others in hand, their crash would be
 * counted as its own. Where hands do not become empty for a while (a long handler, a letter that cannot be written), it comes all
 * the same, uncounted, until they have been empty once more.
 */
export function createReceiver(context: ReceiverContext): LeaseReceiver {
  const { clock, store, holdings, options } = context
  const shelf = createShelf()
  let waiter: Waiter | undefined
  let hungry = true
  /** The sizes of the claims that are on their way. */
  let expected = 0
  let claims = 0
  /** Something may have become claimable since the claims that are on their way were made. */
  let stirred = false
  /** Somebody took or completed since the last claim: who does neither claims nothing ahead, so that others get what there is. */
  let active = false
  let closed = false
  let closing: Promise<void> | undefined
  let ours = 0
  /** Settlements and releases that the store may not have taken yet: to it, we hold these still. */
  let departed = 0
  let suspects = 0
  let cancelNext: Cancel | undefined
  let suspectsMayWait = true
  /** A suspect waits for empty hands. */
  let cancelWithheld: Cancel | undefined
  let returns: Promise<unknown> = Promise.resolve()
  /** Called when no claim is on its way any more. */
  let grounded: (() => void) | undefined
  const lost = new AbortController()

  const half = Math.ceil(options.prefetch / 2)
  const part = context.inParts ? Math.max(Math.ceil(options.prefetch / parts), Math.min(half, smallestPart)) : half
  const largest = context.inParts ? part : options.prefetch

  function appetite(): number {
    const room = options.prefetch - ours - expected
    if (waiter && claims === 0) return Math.max(waiter.max, Math.min(room, largest))
    // Nothing is claimed ahead while a suspect is ours: should it kill this process, nobody else is to be suspected.
    if (!active || suspects > 0 || shelf.size > part) return 0
    // Beside a claim that is on its way, small ones would stay small for ever: each makes room for another of its size.
    return claims > 0 && room < part ? 0 : Math.min(room, largest)
  }

  function nextClaim(): PendingClaim | undefined {
    const max = closed || !hungry ? 0 : appetite()
    if (max <= 0) return undefined
    const isAlone = claims === 0 && isEmpty()
    claims++
    expected += max
    active = false
    const request: Claim = {
      channel: context.channel,
      max,
      until: context.leaseEnd(clock.now() + options.hold),
      suspects: mayCome(isAlone),
    }
    return {
      request,
      resolve(claimed) {
        landed(max)
        arrive(claimed, request)
      },
      reject(error) {
        landed(max)
        endWait()?.reject(error)
      },
    }
  }

  function mayCome(isAlone: boolean): Claim['suspects'] {
    if (!waiter) return 'withhold'
    if (isAlone) return 'alone'
    return suspectsMayWait ? 'withhold' : 'beside-others'
  }

  function landed(max: number): void {
    claims--
    expected -= max
    if (claims === 0) grounded?.()
  }

  function arrive(claimed: Claimed, request: Claim): void {
    const parcels = unpack(claimed, request, context, account)
    for (const { held } of parcels) holdings.add(held)
    shelf.put(parcels)
    hungry = parcels.length > 0 || stirred
    if (claims === 0) stirred = false
    if (closed) giveBack(() => true)
    else if (parcels.length > 0)
      clock.after(Math.min(options.hold / 2, longestBuffered), () => giveBackStale(request.until), { background: true })
    else wakeAt(claimed.nextAt)
    if (claimed.withheld) withhold()
    feed()
    if (hungry && waiter) store.wake()
  }

  /** Asks again when hands are empty, or when that has taken too long. */
  function withhold(): void {
    if (isEmpty()) stir()
    else cancelWithheld ??= clock.after(suspectsWait, letSuspectsCome, { background: true })
  }

  function letSuspectsCome(): void {
    suspectsMayWait = isEmpty()
    cancelWithheld?.()
    cancelWithheld = undefined
    stir()
  }

  function isEmpty(): boolean {
    return ours === 0 && departed === 0
  }

  function lookWhetherEmpty(): void {
    if (isEmpty() && (cancelWithheld || !suspectsMayWait)) letSuspectsCome()
  }

  /** Counts how many deliveries are ours, buffered ones included. */
  const account: Account = {
    came(held) {
      ours++
      if (held.suspect) suspects++
    },
    left(held) {
      ours--
      if (held.suspect) suspects--
      if (held.loss) shelf.withdraw((waiting) => waiting === held)
      lookWhetherEmpty()
      if (hungry) store.wake()
    },
    departed(change) {
      departed += change
      lookWhetherEmpty()
    },
    settles(held, kind) {
      // A completed one makes room for a consumer that works.
      if (kind === 'complete') active = true
      // What comes again stands before its siblings: those that wait here for their turn go back behind it.
      else if (held.lane !== null) giveBack(({ lane }) => lane === held.lane)
    },
  }

  /** Gives the waiting `take` what is there, or nothing if its time is up. */
  function feed(): void {
    if (!waiter) return
    if (shelf.size > 0 || waiter.overdue) {
      const { resolve, max } = waiter
      endWait()
      resolve(give(max))
    } else context.onWait()
  }

  function endWait(): Waiter | undefined {
    const ended = waiter
    waiter = undefined
    ended?.cancelTimer?.()
    return ended
  }

  function give(max: number): Delivery[] {
    const given = shelf.take(max)
    if (hungry) store.wake()
    return given.map(openParcel)
  }

  function giveBack(which: (held: Held) => boolean): void {
    const released = shelf.withdraw(which).map(({ held }) => release(held))
    if (released.length > 0) returns = Promise.allSettled([returns, ...released]).then(() => {})
  }

  async function release(held: Held): Promise<void> {
    account.departed(1)
    holdings.remove(held)
    const { hold, suspect, counted } = held
    try {
      await store.perform({ kind: 'release', hold, suspect, counted, unseen: true })
    } finally {
      account.departed(-1)
    }
  }

  /** A consumer that has paused keeps nothing from others, and nothing expires in its buffer as if it had crashed with it. */
  function giveBackStale(until: number): void {
    giveBack((held) => held.until <= until)
    hungry = true
    // One whose time is up waits for a claim wherever there may be something to claim.
    if (waiter) store.wake()
  }

  /** After this process stood still for too long, what waits here may be somebody else's by now. */
  function giveBackExpired(): void {
    if (shelf.oldest && shelf.oldest.until <= clock.now()) giveBackStale(clock.now())
  }

  function wakeAt(time: number | null): void {
    cancelNext?.()
    cancelNext = time === null ? undefined : clock.after(Math.max(0, time - clock.now()), stir, { background: true })
  }

  function stir(): void {
    hungry = true
    stirred = claims > 0
    if (waiter) store.wake()
  }

  function timeUp(): void {
    if (!waiter) return
    waiter.overdue = true
    if (claims === 0 && !hungry) feed()
  }

  async function shut(): Promise<void> {
    closed = true
    cancelNext?.()
    cancelWithheld?.()
    endWait()?.resolve([])
    if (claims > 0) await new Promise<void>((resolve) => (grounded = resolve))
    giveBack(() => true)
    context.onClose(receiver)
    await returns
  }

  const receiver: LeaseReceiver = {
    channel: context.channel,
    lost: lost.signal,
    waiting: () => waiter !== undefined,
    nextClaim,
    stir,

    take(max, wait) {
      if (closed) return Promise.resolve([])
      if (waiter) return Promise.reject(new RedriveError('not-running', 'A take is under way: one call at a time.'))
      active = true
      giveBackExpired()
      if (shelf.size > 0) return Promise.resolve(give(max))
      return new Promise((resolve, reject) => {
        waiter = { max, resolve, reject, overdue: false }
        hungry = true
        store.claimNow()
        if (wait !== Number.POSITIVE_INFINITY) waiter.cancelTimer = clock.after(wait, timeUp)
      })
    },

    close() {
      closing ??= shut()
      return closing
    },
  }
  return receiver
}
