import type { Channel, ConsumeMessage } from 'amqplib'
import { RedriveError } from '../../core/errors.ts'
import type { Address, Hold, ReceiveOptions, Receiver } from '../seam.ts'
import { operationError } from './amqp-errors.ts'
import type { Session } from './connection.ts'
import { type Origin, RabbitDelivery } from './delivery.ts'
import type { Settings } from './options.ts'
import { createLedger } from './settle.ts'

export interface RabbitReceiver extends Receiver {
  readonly address: Address
  /** Deliveries of ours that are not settled, given out or not. */
  readonly held: number
  /** Everything that was settled before has been answered. */
  settled(): Promise<void>
  /** The transport closes: what is held goes back to the queue. */
  end(): Promise<void>
}

interface Buffered {
  readonly raw: ConsumeMessage
  readonly heldUntil: number
  readonly origin: Origin
}

/** Consumers that were started for one another; their deliveries are told from those of the ones before. */
interface Generation {
  readonly origin: Origin
  readonly consumers: Promise<string>[]
  /** What they may be given together. */
  credit: number
}

/** Asked for so much less than before, we take the broker at its word that it sends no more. */
const shrinkAt = 4

export async function openReceiver(
  session: Session,
  address: Address,
  options: ReceiveOptions,
  settings: Settings,
): Promise<RabbitReceiver> {
  const { clock } = settings
  const about = `queue "${address.name}"`
  const channel = await openChannel(session, address.name)
  const holdLost = new AbortController()
  const lost = new AbortController()
  const hold: Hold = { signal: holdLost.signal }
  const ledger = createLedger(channel, { clock, answerWithin: settings.answerWithin, silent })
  const buffer: Buffered[] = []
  let generation = newGeneration()
  let stir: (() => void) | undefined
  /** Given out and not settled. */
  let unsettled = 0
  /** Given out or buffered by consumers that are cancelled by now. */
  let earlier = 0
  let shrinking: Promise<unknown> | undefined
  let closing: Promise<void> | undefined
  let failure: unknown

  channel.on('error', (error) => {
    failure = error
  })
  channel.on('close', () => die())

  function die(ending?: RedriveError): void {
    if (holdLost.signal.aborted) return
    buffer.length = 0
    ledger.fail(failure)
    const reason = new RedriveError('unreachable', `The channel that received from ${about} was lost.`, { cause: failure })
    lost.abort(ending ?? reason)
    holdLost.abort(
      ending ?? new RedriveError('hold-lost', `The channel that received from ${about} was lost.`, { cause: failure }),
    )
    stir?.()
  }

  function silent(): void {
    failure = new RedriveError('unreachable', 'RabbitMQ did not answer a settlement in time.')
    die()
    session.drop(failure as RedriveError)
  }

  function newGeneration(): Generation {
    const origin: Origin = {
      ...{ address, queueType: settings.queueType, hold, ledger },
      settled() {
        unsettled--
        if (origin !== generation.origin) earlier--
      },
    }
    return { origin, consumers: [], credit: 0 }
  }

  /**
   * A quorum queue knows no credit but the prefetch that a consumer starts with, so every growth is one more consumer on the same
   * channel. Together they are never given more than was asked for.
   */
  function growTo(wanted: number): void {
    const more = Math.min(wanted, options.prefetch) - generation.credit - earlier
    if (more <= 0 || closing || holdLost.signal.aborted) return
    const { consumers, origin } = generation
    generation.credit += more
    // Both are written at once: nothing comes between the prefetch and the consumer that it is for.
    const prefetching = channel.prefetch(more)
    const consuming = channel.consume(address.name, (raw) => accept(raw, origin))
    const started = Promise.all([consuming, prefetching]).then(([{ consumerTag }]) => consumerTag)
    consumers.push(started)
    started.catch((error) => {
      failure ??= error
    })
  }

  /** A consumer that becomes careful wants few messages at risk: those that were sent already are given out first. */
  function shrink(): void {
    const before = generation
    earlier = unsettled + buffer.length
    generation = newGeneration()
    shrinking = cancel(before.consumers).finally(() => {
      shrinking = undefined
    })
  }

  async function cancel(consumers: readonly Promise<string>[]): Promise<void> {
    const tags = await Promise.allSettled(consumers)
    const started = tags.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    await Promise.allSettled(started.map((tag) => channel.cancel(tag)))
  }

  function accept(raw: ConsumeMessage | null, origin: Origin): void {
    // The queue is gone, and with it everything that we held.
    if (raw === null) {
      failure ??= new RedriveError('unknown-channel', `The ${about} was deleted.`)
      die()
      void channel.close().catch(() => {})
      return
    }
    if (origin !== generation.origin) earlier++
    ledger.received(raw.fields.deliveryTag)
    if (closing) ledger.nack(raw.fields.deliveryTag, true)
    else buffer.push({ raw, heldUntil: clock.now() + settings.consumerTimeout, origin })
    stir?.()
  }

  async function waitForSome(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve)
      stir = () => {
        cancel()
        resolve()
      }
    })
    stir = undefined
  }

  async function close(): Promise<void> {
    stir?.()
    // What arrives while the broker stops sending is given back as well.
    await Promise.all([shrinking, cancel(generation.consumers)])
    for (const { raw } of buffer.splice(0)) ledger.nack(raw.fields.deliveryTag, true)
    await ledger.settled()
  }

  return {
    address,
    lost: lost.signal,
    get held() {
      return holdLost.signal.aborted ? 0 : unsettled + buffer.length
    },
    settled: () => ledger.settled(),
    async take(max, wait) {
      if ((unsettled + max) * shrinkAt <= generation.credit) shrink()
      await shrinking
      growTo(unsettled + max)
      if (buffer.length === 0 && wait > 0 && !closing && !holdLost.signal.aborted) await waitForSome(wait)
      if (closing) return []
      const given = buffer.splice(0, max)
      unsettled += given.length
      return given.map(({ raw, heldUntil, origin }) => new RabbitDelivery(raw, heldUntil, origin))
    },
    close() {
      if (holdLost.signal.aborted) return Promise.resolve()
      closing ??= close()
      return closing
    },
    async end() {
      closing ??= close()
      await closing
      die(new RedriveError('closed', 'The RabbitMQ transport was closed; what it held went back to its queue.'))
      await channel.close().catch(() => {})
    },
  }

  async function openChannel({ connection }: Session, queue: string): Promise<Channel> {
    try {
      const opened = await connection.createChannel()
      opened.on('error', () => {})
      await opened.checkQueue(queue)
      return opened
    } catch (cause) {
      throw operationError(cause, about)
    }
  }
}
