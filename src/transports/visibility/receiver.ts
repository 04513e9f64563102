import { RedriveError } from '../../core/errors.ts'
import type { Cancel, Clock } from '../../core/ports.ts'
import type { Delivery, ReceiveOptions, Receiver } from '../seam.ts'
import type { Held, Holdings } from './holdings.ts'
import type { PollPace } from './poll-pace.ts'

/** A receiver as the transport sees it. */
export interface PollingReceiver<Queue> extends Receiver {
  /** A message of this lane goes back to its queue: those behind it that wait here go along. */
  giveBackLane(held: Held<Queue>): void
}

/** What came, not yet decoded: what is released again was never worth decoding. */
export interface Parcel<Queue, Raw> {
  readonly held: Held<Queue>
  readonly raw: Raw
}

/** What a server can be asked for. */
export interface PollLimits {
  /** One request brings no more. */
  readonly mostInOne: number
  /** Requests of one `take`: a second one is only worth its price where the last came back full. */
  readonly mostRequests: number
  /** How long the server is to wait where somebody here waits so long. Milliseconds. */
  waitFor(left: number): number
}

export interface ReceiverContext<Queue, Raw> {
  readonly clock: Clock
  readonly holdings: Holdings<Queue>
  readonly pace: PollPace
  readonly options: ReceiveOptions
  readonly limits: PollLimits
  /** Asks the server, and lets it wait so many milliseconds. What it brings is ours from before it was asked. */
  ask(max: number, wait: number): Promise<readonly Parcel<Queue, Raw>[]>
  open(parcel: Parcel<Queue, Raw>): Delivery
  release(held: Held<Queue>): Promise<void>
  onClose(receiver: PollingReceiver<Queue>): void
}

/** With less left than this, nobody asks again. Milliseconds. */
const worthAsking = 1_000
/** How long what came late may lie here before others get their chance. Milliseconds. */
const longestBuffered = 1_000

interface Waiter {
  readonly max: number
  readonly deadline: number
  readonly resolve: (deliveries: readonly Delivery[]) => void
  readonly reject: (error: RedriveError) => void
  cancel: Cancel | undefined
}

/**
 * Asks for what it was asked for, and no more: what is ours grows to what is unsettled plus `max`. A question is never cut off, because its
 * answer would take messages along until their visibility timeout has passed. What comes when nobody waits any more is for the next
 * `take`; after a second it is released.
 */
export function createReceiver<Queue, Raw>(context: ReceiverContext<Queue, Raw>): PollingReceiver<Queue> {
  const { clock, options, holdings, pace, limits } = context
  const { mostInOne, mostRequests } = limits
  const lost = new AbortController()
  let buffer: Parcel<Queue, Raw>[] = []
  let waiter: Waiter | undefined
  /** What the questions that are under way may bring. */
  let expected = 0
  let questions = 0
  let cameFull = false
  /** Before, the server is not asked: it answers at once with nothing. */
  let resumeAt = 0
  let resuming: Cancel | undefined
  let watching: Cancel | undefined
  let closing: Promise<void> | undefined
  let returns: Promise<unknown> = Promise.resolve()
  let landed: (() => void) | undefined

  function ask(): void {
    if (!waiter || closing) return
    if (mustPause(waiter)) return
    const wanted = waiter.max - buffer.length - expected
    const patience = limits.waitFor(waiter.deadline - clock.monotonic())
    for (const [nth, max] of requestsFor(wanted).entries()) {
      // Beside the first, a question only looks whether there is more.
      void question(max, nth === 0 && questions === 0 ? patience : 0)
    }
  }

  /** How many each is to bring. A request costs as much for one as for all it may bring: beside others, only whole ones are worth it. */
  function requestsFor(wanted: number): readonly number[] {
    if (questions === 0 && wanted < mostInOne) return wanted > 0 ? [wanted] : []
    const most = cameFull ? mostRequests - questions : 1
    return Array.from({ length: Math.max(Math.min(Math.floor(wanted / mostInOne), most), 0) }, () => mostInOne)
  }

  /** Who does not want to wait is told at once what is there. */
  function mustPause({ deadline }: Waiter): boolean {
    const now = clock.monotonic()
    if (now >= resumeAt || deadline <= now) return false
    resuming ??= clock.after(resumeAt - now, resume)
    return true
  }

  function resume(): void {
    resuming = undefined
    goOn()
  }

  async function question(max: number, wait: number): Promise<void> {
    questions++
    expected += max
    try {
      arrive(await receive(max, wait), max)
    } catch (error) {
      endWait()?.reject(error as RedriveError)
    } finally {
      questions--
      expected -= max
      if (questions === 0) landed?.()
      goOn()
    }
  }

  async function receive(max: number, wait: number): Promise<readonly Parcel<Queue, Raw>[]> {
    const since = clock.monotonic()
    const parcels = await context.ask(max, wait)
    if (wait > 0) {
      pace.answered(parcels.length, wait, clock.monotonic() - since)
      resumeAt = clock.monotonic() + pace.pause()
    }
    return parcels
  }

  function arrive(parcels: readonly Parcel<Queue, Raw>[], max: number): void {
    cameFull = parcels.length === max
    const now = clock.monotonic()
    for (const { held } of parcels) holdings.add(held)
    // An answer that was on its way for longer than the hold brings what may be somebody else's by now.
    for (const { held } of parcels) if (held.until <= now) holdings.lose(held)
    buffer.push(...parcels.filter(({ held }) => !held.loss))
    if (closing) giveBack(() => true)
    else feed()
    watchStale()
  }

  /** A question came back with nothing, or another take has begun: asks again while there is time for another question. */
  function goOn(): void {
    if (waiter && questions === 0 && waiter.deadline - clock.monotonic() >= worthAsking) ask()
  }

  function feed(): void {
    if (!waiter || buffer.length === 0) return
    const given = give(waiter.max)
    endWait((ended) => ended.resolve(given))
  }

  function endWait(then?: (ended: Waiter) => void): Waiter | undefined {
    const ended = waiter
    waiter = undefined
    ended?.cancel?.()
    if (ended) then?.(ended)
    return ended
  }

  function give(max: number): Delivery[] {
    return buffer.splice(0, max).map((parcel) => context.open(parcel))
  }

  function giveBack(which: (held: Held<Queue>) => boolean): void {
    const given = buffer.filter(({ held }) => which(held))
    if (given.length === 0) return
    buffer = buffer.filter((parcel) => !given.includes(parcel))
    returns = Promise.allSettled([returns, ...given.map(({ held }) => context.release(held))])
  }

  /** Timers may be a moment early, and one watches for all that came meanwhile. */
  function watchStale(): void {
    const [oldest] = buffer
    if (!oldest || watching) return
    const left = oldest.held.arrivedAt + longestBuffered - clock.monotonic()
    watching = clock.after(Math.max(1, left), giveBackStale, { background: true })
  }

  function giveBackStale(): void {
    watching = undefined
    const now = clock.monotonic()
    giveBack(({ arrivedAt }) => now - arrivedAt >= longestBuffered)
    watchStale()
  }

  /** After this process stood still for too long, what waits here may be somebody else's by now. */
  function giveBackWorn(): void {
    const enough = clock.monotonic() + options.hold / 2
    giveBack(({ until, loss }) => loss !== undefined || until < enough)
  }

  const receiver: PollingReceiver<Queue> = {
    lost: lost.signal,

    take(max, wait) {
      if (closing) return Promise.resolve([])
      if (waiter) return Promise.reject(new RedriveError('not-running', 'A take is under way: one call at a time.'))
      giveBackWorn()
      if (buffer.length > 0) return Promise.resolve(give(max))
      return new Promise((resolve, reject) => {
        const own: Waiter = { max, deadline: clock.monotonic() + wait, resolve, reject, cancel: undefined }
        const timeUp = (): void => void (waiter === own && endWait((ended) => ended.resolve([])))
        waiter = own
        ask()
        // Who does not want to wait still wants to know what is there.
        if (wait === 0 && questions > 0) landed = timeUp
        else if (wait !== Number.POSITIVE_INFINITY) own.cancel = clock.after(wait, timeUp)
      })
    },

    giveBackLane(gone) {
      giveBack(({ lane, place }) => lane === gone.lane && place === gone.place)
    },

    close() {
      closing ??= close()
      return closing
    },
  }

  async function close(): Promise<void> {
    endWait((ended) => ended.resolve([]))
    resuming?.()
    watching?.()
    if (questions > 0) await new Promise<void>((resolve) => (landed = resolve))
    giveBack(() => true)
    context.onClose(receiver)
    await returns
  }

  return receiver
}
