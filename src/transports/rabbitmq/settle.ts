import type { Channel } from 'amqplib'
import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'

/**
 * Settles the deliveries of one channel. AMQP answers no settlement, so each is followed by a question, and is done when that is
 * answered. Settlements made while an answer is awaited share the next question, and acknowledgements that leave no gap behind
 * them share one frame.
 *
 * A ledger belongs to one channel and dies with it: a delivery tag cannot reach another channel.
 */
export interface Ledger {
  /** Called for every delivery of the channel, in their order. */
  received(tag: number): void
  ack(tag: number): Batch
  nack(tag: number, requeue: boolean): Batch
  /** Resolves when everything that was settled before has been answered. */
  settled(): Promise<void>
  /** The channel is gone: what was not answered is unsure. */
  fail(cause: unknown): void
}

/** Settlements that share one question. */
export interface Batch {
  readonly done: Promise<void>
  failed: boolean
}

interface OpenBatch extends Batch {
  resolve(): void
  reject(error: RedriveError): void
}

export interface LedgerSettings {
  readonly clock: Clock
  readonly answerWithin: number
  /** The broker did not answer in time. */
  readonly silent: () => void
}

export function createLedger(channel: Channel, { clock, answerWithin, silent }: LedgerSettings): Ledger {
  /** Tags that are not settled, lowest first. */
  const open = new Set<number>()
  let acks: number[] = []
  let next: OpenBatch | undefined
  let asked: OpenBatch | undefined
  let flushing = false
  let dead = false

  function join(): Batch {
    next ??= openBatch()
    if (!flushing) {
      flushing = true
      clock.soon(flush)
    }
    return next
  }

  /** Acknowledgements never wait for an answer; only the next question does. */
  function flush(): void {
    flushing = false
    if (dead || !next) return
    try {
      sendAcks()
    } catch (cause) {
      fail(cause)
      return
    }
    if (asked) return
    asked = next
    next = undefined
    void ask(asked)
  }

  /** Everything below the lowest open tag goes in one frame; what lies above a gap goes alone. */
  function sendAcks(): void {
    const [lowestOpen = Number.POSITIVE_INFINITY] = open
    let upTo = 0
    for (const tag of acks) {
      if (tag > lowestOpen) channel.ack(tagged(tag))
      else if (tag > upTo) upTo = tag
    }
    if (upTo > 0) channel.ack(tagged(upTo), true)
    acks = []
  }

  /** Any question that is answered in order will do; this one changes nothing, since every consumer brings its own prefetch. */
  async function ask(batch: OpenBatch): Promise<void> {
    const cancel = clock.after(answerWithin, silent)
    try {
      await channel.prefetch(1)
      if (dead) return
      asked = undefined
      batch.resolve()
      if (next) flush()
    } catch (cause) {
      fail(cause)
    } finally {
      cancel()
    }
  }

  function fail(cause: unknown): void {
    if (dead) return
    dead = true
    const error = new RedriveError('unsure', 'The connection was lost before RabbitMQ answered the settlement.', { cause })
    asked?.reject(error)
    next?.reject(error)
  }

  return {
    received: (tag) => void open.add(tag),
    ack(tag) {
      open.delete(tag)
      acks.push(tag)
      return join()
    },
    nack(tag, requeue) {
      open.delete(tag)
      // At once, so that no later range of acknowledgements takes it along.
      channel.nack(tagged(tag), false, requeue)
      return join()
    },
    async settled() {
      while (!dead && (asked ?? next)) await (next ?? asked)?.done.catch(() => {})
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
