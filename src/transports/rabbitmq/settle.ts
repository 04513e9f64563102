import type { Channel } from 'amqplib'
import { RedriveError } from '../../core/errors.ts'
import type { Cancel, Clock } from '../../core/ports.ts'
import type { Consumer, Credit } from './credit.ts'

/**
 * Settles the deliveries of one channel. AMQP answers no settlement, but the broker never has more of them out than it was allowed:
 * a delivery beyond that tells that it has taken earlier settlements. Where no delivery comes, a question is asked behind them,
 * and they are done when it is answered.
 *
 * Settlements made together form a batch that is done as one, and acknowledgements that leave no gap behind them share one
 * frame. A ledger belongs to one channel and dies with it: a delivery tag cannot reach another channel.
 */
export interface Ledger {
  /** Called for every delivery of the channel, in their order. */
  received(tag: number): void
  ack(delivery: Settled): Batch
  nack(delivery: Settled, requeue: boolean): Batch
  /** Settlements that were made, and are not known to be taken. */
  readonly unanswered: number
  /** Acknowledgements wait until `goOn`. */
  holdBack(): void
  goOn(): void
  /** Resolves when everything that was settled before has been answered. */
  settled(): Promise<void>
  /** The channel is gone: what was not answered is unsure. */
  fail(cause: unknown): void
}

/** What is settled, and by which consumer it came. */
export interface Settled {
  readonly tag: number
  readonly consumer: Consumer
}

/** Settlements that are done together. */
export interface Batch {
  readonly done: Promise<void>
  failed: boolean
}

interface OpenBatch extends Batch {
  /** How many settlements of the channel were written when the last one of this batch was. */
  upTo: number
  resolve(): void
  reject(error: RedriveError): void
}

export interface LedgerSettings {
  readonly clock: Clock
  readonly answerWithin: number
  readonly credit: Omit<Credit, 'fit' | 'stop'>
  /** Several frames were written that may leave in one piece. */
  readonly bundle: () => void
  /** The broker did not answer in time. */
  readonly silent: () => void
}

/**
 * How long a delivery may take to tell what a question would, in milliseconds. It may take longer where the broker had sent all that
 * it may and all of that is settled: then nothing waits for the answer, and whatever comes next is one.
 */
const patience = { usual: 10, whenAllIsSettled: 100 }

/**
 * The broker sends as many as were acknowledged: who acknowledges two gets two, and pays for each time by itself. So while
 * deliveries come, acknowledgements gather until they are a quarter of what may be out, or for a moment. Milliseconds.
 */
const worthWriting = 1 / 4
const aMoment = 1

export function createLedger(channel: Channel, settings: LedgerSettings): Ledger {
  const { clock, credit } = settings
  /** Tags that are not settled, lowest first. */
  const open = new Set<number>()
  let acks: Settled[] = []
  let next: OpenBatch | undefined
  /** Written, and not known to be taken; oldest first. */
  const untold: OpenBatch[] = []
  let latest = 0
  let latestAtFlush = 0
  let made = 0
  let written = 0
  let answered = 0
  let looking = false
  let stopGathering: Cancel | undefined
  let asking = false
  let inHurry = false
  let heldBack = false
  let death: RedriveError | undefined
  let stopWaiting: Cancel | undefined

  function join(): Batch {
    next ??= openBatch()
    const batch = next
    made++
    if (death) batch.reject(death)
    // Nothing is left that could share its frame.
    if (open.size === 0) flush()
    else if (!looking) {
      looking = true
      clock.soon(look)
    }
    return batch
  }

  function look(): void {
    looking = false
    const isLot = acks.length === 0 || acks.length >= credit.allowed * worthWriting
    if (isLot || inHurry || !flows()) flush()
    else stopGathering ??= clock.after(aMoment, flush)
  }

  function flush(): void {
    stopGathering?.()
    stopGathering = undefined
    if (death || heldBack || !next) return
    try {
      sendAcks()
    } catch (cause) {
      fail(cause)
      return
    }
    const wasFull = latest - written >= credit.allowed
    const within = wasFull && open.size === 0 ? patience.whenAllIsSettled : patience.usual
    written = made
    next.upTo = written
    untold.push(next)
    next = undefined
    findOut(within)
  }

  /** Everything below the lowest open tag goes in one frame; what lies above a gap goes alone. */
  function sendAcks(): void {
    const [lowestOpen = Number.POSITIVE_INFINITY] = open
    let upTo = 0
    let alone = 0
    for (const { tag, consumer } of acks) {
      credit.written(consumer)
      if (tag > lowestOpen) {
        channel.ack(tagged(tag))
        alone++
      } else if (tag > upTo) upTo = tag
    }
    if (upTo > 0) {
      channel.ack(tagged(upTo), true)
      credit.rangeWritten()
    }
    if (alone > 0) settings.bundle()
    acks = []
  }

  /** While deliveries come, the next ones will tell; where none came since the last time, only a question does. */
  function findOut(within: number): void {
    const mayTell = flows() && !inHurry
    latestAtFlush = latest
    if (mayTell) waitForDelivery(within)
    else ask()
  }

  function flows(): boolean {
    return latest > latestAtFlush
  }

  function waitForDelivery(within: number): void {
    const [oldest] = untold
    stopWaiting ??= clock.after(within, () => {
      stopWaiting = undefined
      if (untold[0] === oldest) ask()
      else if (untold.length > 0) waitForDelivery(within)
    })
  }

  function told(taken: number): void {
    for (let [oldest] = untold; oldest && oldest.upTo <= taken; oldest = untold[0]) {
      untold.shift()
      answered = oldest.upTo
      oldest.resolve()
    }
  }

  /** Any question that is answered in order will do; this one changes nothing, since every consumer brings its own prefetch. */
  async function ask(): Promise<void> {
    if (asking || death || untold.length === 0) return
    asking = true
    const behind = written
    const { finished } = credit
    const cancel = clock.after(settings.answerWithin, settings.silent)
    try {
      await channel.prefetch(1)
      if (death) return
      asking = false
      told(behind)
      credit.forget(finished)
      if (untold.length > 0) findOut(patience.usual)
    } catch (cause) {
      fail(cause)
    } finally {
      cancel()
    }
  }

  function fail(cause: unknown): void {
    if (death) return
    death = new RedriveError('unsure', 'The connection was lost before RabbitMQ answered the settlement.', { cause })
    stopWaiting?.()
    stopGathering?.()
    for (const batch of untold) batch.reject(death)
    next?.reject(death)
  }

  return {
    received(tag) {
      open.add(tag)
      latest = tag
      if (untold.length > 0) told(tag - credit.allowed)
    },
    ack(delivery) {
      open.delete(delivery.tag)
      credit.settled(delivery.consumer)
      acks.push(delivery)
      return join()
    },
    nack({ tag, consumer }, requeue) {
      open.delete(tag)
      // At once, so that no later range of acknowledgements takes it along.
      channel.nack(tagged(tag), false, requeue)
      credit.settled(consumer)
      credit.written(consumer)
      return join()
    },
    get unanswered() {
      return made - answered
    },
    holdBack() {
      heldBack = true
    },
    goOn() {
      heldBack = false
      flush()
    },
    async settled() {
      inHurry = true
      flush()
      while (!death && (next ?? untold.length > 0)) {
        void ask()
        await (next ?? untold.at(-1))?.done.catch(() => {})
      }
    },
    fail,
  }
}

function openBatch(): OpenBatch {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Everybody who settled hears of it; a batch that nobody waits for must not end the process.
  promise.catch(() => {})
  const batch: OpenBatch = {
    done: promise,
    failed: false,
    upTo: 0,
    resolve,
    reject(error) {
      batch.failed = true
      reject(error)
    },
  }
  return batch
}

/** The library asks for a message and looks only at its tag. */
function tagged(deliveryTag: number): Parameters<Channel['ack']>[0] {
  return { fields: { deliveryTag } } as Parameters<Channel['ack']>[0]
}
