import type { Channel, ConsumeMessage } from 'amqplib'
import { RedriveError } from '../../core/errors.ts'
import { createSleep } from '../../platform/sleep.ts'
import type { Address, Hold, ReceiveOptions, Receiver } from '../seam.ts'
import { operationError } from './amqp-errors.ts'
import { answered, type Session } from './connection.ts'
import { type Consumer, createCredit } from './credit.ts'
import { type Origin, RabbitDelivery } from './delivery.ts'
import { giveBack } from './give-back.ts'
import type { Settings } from './options.ts'
import { createLedger } from './settle.ts'

export interface RabbitReceiver extends Receiver {
  readonly address: Address
  /** Deliveries of ours that are not settled, given out or not. */
  readonly held: number
  /** The transport closes: what is held goes back to the queue. */
  end(): Promise<void>
}

interface Buffered {
  readonly raw: ConsumeMessage
  readonly heldUntil: number
  readonly consumer: Consumer
}

export async function openReceiver(
  session: Session,
  address: Address,
  { prefetch }: ReceiveOptions,
  settings: Settings,
  send: Origin['send'],
): Promise<RabbitReceiver> {
  const { clock } = settings
  const about = `queue "${address.name}"`
  const channel = await openChannel(session, address.name)
  const holdLost = new AbortController()
  const lost = new AbortController()
  const hold: Hold = { signal: holdLost.signal }
  const credit = createCredit({
    channel,
    queue: address.name,
    clock,
    usual: prefetch,
    accept,
    failed,
    holdBack: () => ledger.holdBack(),
    goOn: () => ledger.goOn(),
  })
  const { answerWithin } = settings
  const ledger = createLedger(channel, { clock, answerWithin, credit, bundle: session.bundle, silent })
  const origin: Origin = { address, queueType: settings.queueType, hold, ledger, send, replacing, settled }
  const buffer: Buffered[] = []
  const sleep = createSleep(clock)
  const replacements = new Set<Promise<unknown>>()
  /** Given out and not settled. */
  let unsettled = 0
  let closing: Promise<void> | undefined
  let failure: unknown

  channel.on('error', (error) => {
    failure = error
  })
  channel.on('close', () => die())
  // It may have died before anybody listened.
  if (session.lost.aborted) die()

  function die(ending?: RedriveError): void {
    if (holdLost.signal.aborted) return
    buffer.length = 0
    ledger.fail(failure)
    const reason = new RedriveError('unreachable', `The channel that received from ${about} was lost.`, { cause: failure })
    lost.abort(ending ?? reason)
    holdLost.abort(
      ending ?? new RedriveError('hold-lost', `The channel that received from ${about} was lost.`, { cause: failure }),
    )
    sleep.rouse()
  }

  function silent(): void {
    failure = new RedriveError('unreachable', 'RabbitMQ did not answer a settlement in time.')
    die()
    session.drop(failure as RedriveError)
  }

  /** Without a consumer the broker would send nothing, and nobody would hear why. */
  function failed(cause: unknown): void {
    failure ??= cause
    die()
  }

  function replacing(done: Promise<unknown>): void {
    replacements.add(done)
    const forget = (): void => void replacements.delete(done)
    done.then(forget, forget)
  }

  function settled(): void {
    unsettled--
    if (closing) void retire()
  }

  /** A closed receiver keeps its channel only as long as something that it gave out can still be settled. */
  async function retire(): Promise<void> {
    if (unsettled > 0) return
    await closing
    await ledger.settled()
    if (!holdLost.signal.aborted) await end('The receiver was closed.')
  }

  async function end(why: string): Promise<void> {
    die(new RedriveError('closed', why))
    await answered(session, settings, channel.close()).catch(() => {})
  }

  function accept(raw: ConsumeMessage | null, consumer: Consumer): void {
    // The queue is gone, and with it everything that we held.
    if (raw === null) {
      failed(new RedriveError('unknown-channel', `The ${about} was deleted.`))
      void channel.close().catch(() => {})
      return
    }
    ledger.received(raw.fields.deliveryTag)
    buffer.push({ raw, heldUntil: clock.now() + settings.consumerTimeout, consumer })
    sleep.rouse()
  }

  function takeFromBuffer(max: number): readonly RabbitDelivery[] {
    const given = buffer.splice(0, max)
    unsettled += given.length
    return given.map(({ raw, heldUntil, consumer }) => new RabbitDelivery(raw, heldUntil, consumer, origin))
  }

  async function close(): Promise<void> {
    sleep.rouse()
    // Not one by one as it arrives: the broker would send it again by the same consumer, and count, until that has left.
    await credit.stop()
    await Promise.allSettled(takeFromBuffer(buffer.length).map((delivery) => giveBack(delivery).done))
    await ledger.settled()
  }

  return {
    address,
    lost: lost.signal,
    get held() {
      return holdLost.signal.aborted ? 0 : unsettled + buffer.length
    },
    async take(max, wait) {
      const fitting = closing || holdLost.signal.aborted ? undefined : credit.fit(unsettled + max, ledger.unanswered)
      if (fitting) await fitting
      if (buffer.length === 0 && wait > 0 && !closing && !holdLost.signal.aborted) await sleep.during(wait)
      if (closing) return []
      return takeFromBuffer(max)
    },
    close() {
      if (holdLost.signal.aborted) return Promise.resolve()
      if (!closing) {
        closing = close()
        void retire()
      }
      return closing
    },
    async end() {
      closing ??= close()
      await closing
      await Promise.allSettled(replacements)
      await end('The RabbitMQ transport was closed; what it held went back to its queue.')
    },
  }

  async function openChannel(on: Session, queue: string): Promise<Channel> {
    try {
      const opened = await answered(on, settings, on.connection.createChannel())
      opened.on('error', () => {})
      await answered(on, settings, opened.checkQueue(queue))
      return opened
    } catch (cause) {
      throw operationError(cause, about)
    }
  }
}
