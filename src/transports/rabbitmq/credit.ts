import type { Channel, ConsumeMessage } from 'amqplib'
import type { Cancel, Clock } from '../../core/ports.ts'
import { createSleep } from '../../platform/sleep.ts'

/**
 * How much the broker may send on one channel. A quorum queue knows no credit but the prefetch that a consumer starts with, so
 * every growth is one more consumer; together they are never given more than was asked for. When much less is asked for, all of
 * them leave and what is asked for starts anew; what the broker had sent before is used up first. When they are several and have
 * stopped growing, all of them leave, once, and one takes their place: a range of acknowledgements costs the broker one command for each
 * consumer in it. They do when that has cost about as much as the change will. That one starts when what came by the others is settled, so that it may have all of the credit.
 *
 * What is on its way to a consumer when it is cancelled goes back to the queue, and counts there as a delivery that nobody answered.
 * So before one leaves, settlements wait until the broker has sent all that it may, and nothing can be on its way. Those who must leave go
 * as well when nothing has come for a while; a busy broker may be silent for longer than that, so nobody leaves for speed alone then.
 */
export interface Credit {
  /**
   * Waits until the broker will send at most so much more than is ours already, and no less where it may; `undefined` where there is nothing to
   * wait for, as nearly always. Whoever waits for the broker to take settlements may want little for the moment: so many are no sign that less is wanted.
   */
  fit(wanted: number, unanswered: number): Promise<void> | undefined
  /** Resolves when the broker sends nothing more. What is on its way goes back: all that comes now would be given back as well. */
  stop(): Promise<void>
  /** Something that came by this consumer is settled, though nothing is written yet. */
  settled(consumer: Consumer): void
  /** That settlement was written. */
  written(consumer: Consumer): void
  /** A range of acknowledgements was written. */
  rangeWritten(): void
  /** How many deliveries the broker may have out at most, by what it knows to be settled. */
  readonly allowed: number
  /** Consumers that have left, and all that came by them was written. */
  readonly finished: readonly Consumer[]
  /** The broker has taken all that was written for these. */
  forget(finished: readonly Consumer[]): void
}

export interface Consumer {
  /** How much the broker may send by it before something of that is settled. */
  readonly credit: number
  /** What came by it and is not settled. */
  unsettled: number
  /** What came by it and whose settlement is not written: the broker counts it. */
  out: number
  /** The broker sends nothing more by it. */
  left: boolean
  readonly tag: Promise<string>
}

export interface CreditSettings {
  readonly channel: Channel
  readonly queue: string
  readonly clock: Clock
  /** What is usually ours at most; held deliveries come on top of it. */
  readonly usual: number
  accept(raw: ConsumeMessage | null, consumer: Consumer): void
  failed(cause: unknown): void
  /** Writes no settlements until it is told to go on. */
  holdBack(): void
  goOn(): void
}

/** Asked for a quarter or less, a consumer has become careful; smaller changes are not worth a round trip, nor a consumer. */
const shrinkAt = 4
/** A broker that may send, and has sent nothing for so many milliseconds, has nothing to send. */
const calm = 100
/** Where messages come slowly and steadily it is never calm: then one of them may count once, but no settlement waits longer. */
const calmWithin = 1000
/** So many commands cost the broker, and us, about as much as a pause in which all consumers leave and another one comes. */
const worthMerging = 500
/** How long consumers stay that could not be put together, the first time and at most. */
const mergeAgainAfter = { first: 1000, most: 60_000 }
/** Where handlers take longer than this, what is settled by then is all that the next consumer may have. */
const settledWithin = 20

export function createCredit(settings: CreditSettings): Credit {
  const { channel, queue, clock, usual, accept, failed } = settings
  const sleep = createSleep(clock)
  let live: Consumer[] = []
  let leaving: Consumer[] = []
  let changing: Promise<void> | undefined
  let merged = false
  /** How many commands for ranges one consumer would have spared the broker. */
  let spared = 0
  let mergeAgainAt = 0
  let untilMerge = mergeAgainAfter.first
  /** What was asked for, while nothing is given before others have left. */
  let owed: { wanted: number; readonly stopWaiting: Cancel } | undefined
  let stopped = false
  let allowed = 0

  function grow(more: number): void {
    // Both are written at once: nothing comes between the prefetch and the consumer that it is for.
    const prefetching = channel.prefetch(more)
    const consuming = channel.consume(queue, (raw) => {
      if (raw !== null) {
        consumer.unsettled++
        consumer.out++
      }
      accept(raw, consumer)
      sleep.rouse()
    })
    const tag = Promise.all([consuming, prefetching]).then(([{ consumerTag }]) => consumerTag)
    tag.catch(failed)
    const consumer: Consumer = { credit: more, unsettled: 0, out: 0, left: false, tag }
    live.push(consumer)
    allowed += more
  }

  async function cancel(consumers: readonly Consumer[]): Promise<void> {
    const tags = await Promise.allSettled(consumers.map(({ tag }) => tag))
    const started = tags.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    await Promise.allSettled(started.map((tag) => channel.cancel(tag)))
  }

  /** Tells whether that is certain: the broker has sent all that it may. */
  async function nothingOnItsWayTo(consumers: readonly Consumer[]): Promise<boolean> {
    const isFull = ({ credit, out }: Consumer): boolean => out >= credit
    const latest = clock.monotonic() + calmWithin
    for (let isCalm = false; !isCalm && !stopped && clock.monotonic() < latest && !consumers.every(isFull); ) {
      const before = sumOf(consumers, 'out')
      await sleep.during(calm)
      isCalm = sumOf(consumers, 'out') === before
    }
    return consumers.every(isFull)
  }

  async function leave(consumers: readonly Consumer[]): Promise<void> {
    live = live.filter((consumer) => !consumers.includes(consumer))
    leaving.push(...consumers)
    settings.holdBack()
    await nothingOnItsWayTo(consumers)
    await cancel(consumers)
    for (const consumer of consumers) consumer.left = true
    settings.goOn()
  }

  async function merge(wanted: number): Promise<void> {
    settings.holdBack()
    merged = await nothingOnItsWayTo(live)
    if (!merged) {
      mergeAgainAt = clock.monotonic() + untilMerge
      untilMerge = Math.min(untilMerge * 2, mergeAgainAfter.most)
      settings.goOn()
      return
    }
    await leave(live)
    owed = { wanted, stopWaiting: clock.after(settledWithin, payDebt) }
    payWhenSettled()
  }

  function payWhenSettled(): void {
    if (owed && sumOf(leaving, 'unsettled') === 0) payDebt()
  }

  function payDebt(): void {
    if (!owed) return
    const { wanted, stopWaiting } = owed
    stopWaiting()
    owed = undefined
    try {
      growTo(wanted)
    } catch (cause) {
      failed(cause)
    }
  }

  /** In several pieces, and all there but for a little: one that is put together too early is in pieces again with the next growth. */
  function isInPieces(): boolean {
    if (merged || spared < worthMerging || live.length < 2 || clock.monotonic() < mergeAgainAt) return false
    const credit = sumOf(live, 'credit')
    return (usual - credit) * shrinkAt < credit
  }

  /** No more, or so little that it is not worth a consumer as long as the broker may send something. */
  function isLittle(more: number): boolean {
    const credit = sumOf(live, 'credit')
    return more <= 0 || (more * shrinkAt < credit && sumOf(live, 'unsettled') < credit)
  }

  /** Nobody leaves while others are about to: what is out must be known before it is changed. */
  function shrinkOrMerge(wanted: number, unanswered: number): Promise<void> | undefined {
    const credit = sumOf(live, 'credit')
    if ((wanted + unanswered) * shrinkAt <= credit) {
      merged = false
      spared = 0
      return leave(live)
    }
    return isLittle(wanted - credit) && isInPieces() ? merge(wanted) : undefined
  }

  function growTo(wanted: number): void {
    const more = wanted - sumOf(live, 'credit') - sumOf(leaving, 'unsettled')
    if (!stopped && !isLittle(more)) grow(more)
  }

  function giveOrOwe(wanted: number): void {
    if (owed) owed.wanted = wanted
    else growTo(wanted)
  }

  function adapt(wanted: number, unanswered: number): Promise<void> | undefined {
    if (changing) return changing.then(() => adapt(wanted, unanswered))
    const parting = stopped || owed ? undefined : shrinkOrMerge(wanted, unanswered)
    changing = parting
      ?.then(() => giveOrOwe(wanted))
      .finally(() => {
        changing = undefined
      })
    if (!parting) giveOrOwe(wanted)
    return changing
  }

  return {
    fit: adapt,
    async stop() {
      stopped = true
      owed?.stopWaiting()
      sleep.rouse()
      await Promise.all([changing, cancel(live)])
    },
    settled(consumer) {
      consumer.unsettled--
      if (owed) payWhenSettled()
    },
    written(consumer) {
      consumer.out--
    },
    rangeWritten() {
      spared += Math.max(0, live.length - 1)
    },
    get allowed() {
      return allowed
    },
    get finished() {
      return leaving.filter(({ left, out }) => left && out === 0)
    },
    forget(finished) {
      if (finished.length === 0) return
      leaving = leaving.filter((consumer) => !finished.includes(consumer))
      allowed = sumOf(live, 'credit') + sumOf(leaving, 'credit')
    },
  }
}

function sumOf(consumers: readonly Consumer[], what: 'credit' | 'unsettled' | 'out'): number {
  let sum = 0
  for (const consumer of consumers) sum += consumer[what]
  return sum
}
