import { hasCode } from '../../core/errors.ts'
import type { Cancel } from '../../core/ports.ts'
import type { Address, ReceiveOptions, Receiver } from '../seam.ts'
import type { Bus } from './bus.ts'
import { pathOf } from './bus.ts'
import { deliveryOf, isSuspect } from './delivery.ts'
import { type Held, leave, letExpire } from './held.ts'
import type { LockKeeper } from './lock-keeper.ts'
import { peek } from './look.ts'
import type { Settings } from './options.ts'
import { sdkError, within } from './sdk-errors.ts'
import type { ServiceClock } from './service-clock.ts'
import { release } from './settle.ts'
import { createShelf } from './shelf.ts'

export interface BusReceiver extends Receiver {
  /** The transport closes: what is held goes back. */
  end(): Promise<void>
}

export interface ReceiveContext {
  readonly bus: Bus
  readonly settings: Settings
  readonly keeper: LockKeeper
  readonly service: ServiceClock
  readonly address: Address
  readonly options: ReceiveOptions
}

/** Where messages come from: links of a queue, or sessions. */
export interface Supply {
  /** Messages that were asked for and have not come. */
  expected(): number
  /** Somebody wants up to `max`, and there is room for as many more. */
  want(max: number, room: number): void
  /** Something was settled or has come: there may be room for more. */
  refill(room: number): void
  /** Asks for nothing more, until somebody wants something again. */
  stop(): Promise<void>
  /** Lets go of everything. */
  close(): Promise<void>
}

/** What a supply brings its messages to. */
export interface Intake {
  readonly isEmpty: boolean
  readonly held: Set<Held>
  /** It is in our hands. */
  hold(held: Held): void
  /** It may be given out. */
  offer(held: Held): void
  /** It may not be given out yet, after all. */
  takeBack(which: (held: Held) => boolean): Held[]
  left(held: Held): void
  /** Something went wrong that may be over by itself, or be the end of the connection: finds out which. */
  doubt(): void
  fail(error: unknown): void
}

/** How long a message may lie here before others get their chance. Milliseconds. */
const longestBuffered = 5_000
/**
 * To ask for one more is a frame on the wire like to ask for many. So more is asked for when an eighth of all is free, when nothing is
 * here nor on its way, or after a moment. Milliseconds.
 */
const worthAsking = 1 / 8
const aMoment = 5

/** Calls `ended` when it is closed and nobody has anything of it. */
export function createReceiver(
  context: ReceiveContext,
  supplyFor: (intake: Intake) => Supply,
  ended: () => void = () => {},
): BusReceiver {
  const { bus, settings, options, address, keeper } = context
  const { clock } = settings
  const shelf = createShelf(clock)
  const held = new Set<Held>()
  const lost = new AbortController()
  /** How many the last `take` asked for, and how many may be ours by that. */
  let most = 0
  let allowed = 0
  /** How many were given out and are not settled: of those in `held`, the ones that are not buffered. */
  let given = 0
  /** A suspect that was given out: until somebody takes more, nothing may come beside it that a crash would be blamed on. */
  let alone: Held | undefined
  let lastTake = clock.monotonic()
  let closing: Promise<void> | undefined
  let isDoubting = false
  let cancelStale: Cancel | undefined
  let cancelAsking: Cancel | undefined
  const supply = supplyFor({
    get isEmpty() {
      return shelf.size === 0
    },
    held,
    hold: (one) => void held.add(one),
    offer,
    takeBack: (which) => shelf.withdraw(which),
    left,
    doubt: () => void doubt(),
    fail,
  })

  function room(): number {
    return alone ? 0 : allowed - held.size - supply.expected()
  }

  /** For how many to ask now. */
  function roomWorthAsking(): number {
    const free = room()
    if (free <= 0) return 0
    const isWorthIt = free >= options.prefetch * worthAsking || (shelf.size === 0 && supply.expected() === 0)
    if (isWorthIt) return free
    cancelAsking ??= clock.after(aMoment, askNow, { background: true })
    return 0
  }

  function askNow(): void {
    cancelAsking = undefined
    if (closing) return
    if (shelf.awaited) supply.want(most, room())
    else supply.refill(room())
  }

  function offer(one: Held): void {
    shelf.put(one)
    cancelStale ??= clock.after(longestBuffered, giveBackStale, { background: true })
  }

  function left(one: Held): void {
    if (!held.delete(one)) return
    leave(one)
    if (one.buffered) shelf.withdraw((each) => each === one)
    else given--
    if (one === alone) alone = undefined
    if (!closing) supply.refill(roomWorthAsking())
    else if (given === 0) void closing.then(letGo)
  }

  function fail(error: unknown): void {
    lost.abort(sdkError(error, pathOf(address), 'unreachable'))
    shelf.end()
  }

  /**
   * The SDK would try for ever, and nobody would hear that nothing comes. A service that answers has only cut a link, which comes back by
   * itself; of one that does not, the consumer is told.
   */
  async function doubt(): Promise<void> {
    if (isDoubting || closing || lost.signal.aborted) return
    isDoubting = true
    try {
      await peek(bus, settings, address, '0', 1)
    } catch (error) {
      if (!closing && hasCode(error, 'unreachable')) fail(error)
    }
    isDoubting = false
  }

  /** A consumer that has paused keeps nothing from others. */
  function giveBackStale(): void {
    cancelStale = undefined
    if (shelf.size === 0 || closing) return
    const idle = clock.monotonic() - lastTake
    if (shelf.awaited || idle < longestBuffered) {
      cancelStale = clock.after(Math.max(longestBuffered - idle, 1), giveBackStale, { background: true })
      return
    }
    allowed = 0
    void stopped()
      .catch(() => {})
      .then(giveBack)
  }

  async function giveBack(): Promise<void> {
    shelf.withdraw(() => true)
    const untouched = [...held].filter(({ buffered }) => buffered)
    await Promise.all(untouched.map((one) => release(one, settings).catch(() => letExpire(one))))
  }

  /** Counted with the note on each of them, and in one go: what leaves while it is on its way to somebody must not stay in the number. */
  function takeUp(max: number): Held[] {
    const taken = shelf.take(max)
    for (const one of taken) one.buffered = false
    given += taken.length
    return taken
  }

  function putBack(some: readonly Held[]): void {
    for (const one of some) one.buffered = true
    given -= some.length
    shelf.putBack(some)
  }

  /**
   * What a suspect's death would be blamed on with it goes back, with a note that nothing happened to it. A suspect that comes behind others
   * waits for the next `take`, so that nothing overtakes it. A session keeps what it has: to stop it would keep those behind from us for as
   * long as the suspect is in hand, perhaps as a letter that cannot be written, and to give them back would change their order.
   */
  async function setApart(taken: Held[]): Promise<Held[]> {
    const first = taken.findIndex(({ received }) => isSuspect(received))
    if (first < 0) return taken
    putBack(taken.splice(Math.max(first, 1)))
    if (first > 0) return taken
    alone = taken[0]
    if (alone?.origin.inSession) return taken
    // Also when nothing is on its way: a link that is lost and attached anew asks for as many as at first.
    await stopped().catch(() => {})
    await giveBack()
    return taken
  }

  /** On a dead connection the SDK waits for a minute. */
  function stopped(): Promise<void> {
    return within(clock, settings.answerWithin, 'unreachable', supply.stop())
  }

  async function close(): Promise<void> {
    cancelStale?.()
    cancelAsking?.()
    shelf.end()
    await stopped().catch(() => {})
    await giveBack()
    if (given === 0) await letGo()
  }

  async function letGo(): Promise<void> {
    await within(clock, settings.answerWithin, 'unreachable', supply.close()).catch(() => {})
    ended()
  }

  return {
    lost: lost.signal,
    async take(max, wait) {
      if (closing) return []
      lastTake = clock.monotonic()
      most = max
      alone = undefined
      allowed = given + max
      // What comes would only have to go back.
      if (!shelf.first || !isSuspect(shelf.first.received)) supply.want(max, roomWorthAsking())
      await shelf.filled(wait)
      const taken = await setApart(takeUp(max))
      lastTake = clock.monotonic()
      const keepUntil = clock.now() + options.hold
      for (const { lock, origin } of taken) lock.keepUntil = origin.inSession ? Math.max(lock.keepUntil, keepUntil) : keepUntil
      return taken.map((one) => deliveryOf(one, bus.library.types))
    },
    close() {
      closing ??= close()
      return closing
    },
    async end() {
      closing ??= close()
      await closing
      await Promise.allSettled([...held].map((one) => one.settlement ?? release(one, settings)))
      for (const one of held) keeper.remove(one.lock)
      await letGo()
    },
  }
}
