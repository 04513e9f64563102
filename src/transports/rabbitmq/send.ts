import type { Message as AmqpMessage, ConfirmChannel } from 'amqplib'
import { RedriveError } from '../../core/errors.ts'
import { createUnanswered } from '../unanswered.ts'
import { isAccessRefused, isNotFound, isPreconditionFailed } from './amqp-errors.ts'
import { answered, type Link, type Session } from './connection.ts'
import { createLentHeaders } from './lent-headers.ts'
import { type PublishOptions, sendHeader } from './message.ts'
import type { Settings } from './options.ts'

/**
 * Publishes and waits for the broker's word. Every message is mandatory: the broker returns one that it cannot route and then
 * confirms it all the same, so a confirmation counts only for a message that was not returned. A number in a header, which no
 * receiver of ours shows, tells which one came back.
 */
export interface Publisher {
  publish(publication: Publication): Promise<void>
  /** Resolves when every publish has been answered. */
  settled(): Promise<void>
}

export interface Publication {
  readonly exchange: string
  readonly routingKey: string
  /** The queue that it is for, as errors name it. */
  readonly queue: string
  /** Its headers are made for this publication: the number that tells it from others is put among them. */
  readonly options: PublishOptions
  readonly body: Buffer
}

interface Pending {
  readonly publication: Publication
  readonly since: number
  returned: boolean
  /** Ends it; with an error when it was not confirmed. Only the first call counts. */
  end(error?: RedriveError): void
}

interface Line {
  readonly session: Session
  readonly channel: ConfirmChannel
  readonly pending: Map<number, Pending>
  /** Why the broker closed the channel. */
  failure: unknown
  /** The one publication that the broker refused by closing the channel, where that can be told. */
  refused: Publication | undefined
  watched: boolean
}

/** How often overdue answers are looked for. */
const lookEvery = 250

export function createPublisher(link: Link, settings: Settings): Publisher {
  const { clock, answerWithin } = settings
  const lentHeaders = createLentHeaders()
  let line: Promise<Line> | undefined
  let live: Line | undefined
  let sent = 0
  const unanswered = createUnanswered()

  async function openLine(): Promise<Line> {
    const session = await link.session()
    const channel = await answered(session, settings, session.connection.createConfirmChannel())
    const opened: Line = { session, channel, pending: new Map(), failure: undefined, refused: undefined, watched: false }
    // The library tells everybody who waits for a confirmation that the channel is closed, but not why.
    channel.on('error', (error) => {
      opened.failure = error
      opened.refused = refusedBy(error, [...opened.pending.values()])
    })
    channel.on('return', (returned) => markReturned(opened.pending, returned))
    channel.on('close', () => forget(opened))
    live = opened
    return opened
  }

  /** An earlier line may hear of its end when there is a later one already. */
  function forget(ended: Line): void {
    if (live !== ended) return
    line = undefined
    live = undefined
  }

  async function liveLine(): Promise<Line> {
    line ??= openLine().catch((cause) => {
      line = undefined
      throw cause instanceof RedriveError ? cause : new RedriveError('unreachable', 'RabbitMQ cannot be reached.', { cause })
    })
    const opened = await line
    if (opened.session.blocked) await waitUntilTaken(opened.session)
    if (opened.session.lost.aborted) forget(opened)
    return readyLine() ?? liveLine()
  }

  /** The line, where there is nothing to wait for. */
  function readyLine(): Line | undefined {
    return live && !live.session.blocked && !live.session.lost.aborted ? live : undefined
  }

  async function waitUntilTaken(session: Session): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const cancel = clock.after(answerWithin, () =>
      reject(new RedriveError('unreachable', 'RabbitMQ takes no messages: it is short of memory or disk space.')),
    )
    try {
      await Promise.race([session.unblocked(), late])
    } finally {
      cancel()
    }
  }

  function publishOn(on: Line, publication: Publication): Promise<void> {
    const { channel, pending } = on
    return new Promise<void>((resolve, reject) => {
      const number = ++sent
      const entry: Pending = {
        publication,
        since: clock.monotonic(),
        returned: false,
        end(error) {
          if (!pending.delete(number)) return
          if (error) reject(error)
          else resolve()
          unanswered.ended()
        },
      }
      const { exchange, routingKey, body, options } = publication
      const { headers } = options
      headers[sendHeader] = number
      pending.set(number, entry)
      try {
        const lent = { ...options, headers: lentHeaders.lend(headers) }
        channel.publish(exchange, routingKey, body, lent, (error) => entry.end(verdict(entry, error, on)))
        on.session.bundle()
      } catch (cause) {
        entry.end(notEncoded(cause))
      } finally {
        lentHeaders.takeBack(headers)
      }
      watch(on)
    })
  }

  /** One timer for all that wait, while any does. */
  function watch(on: Line): void {
    if (on.watched) return
    on.watched = true
    clock.after(lookEvery, () => {
      on.watched = false
      const due = clock.monotonic() - answerWithin
      for (const each of [...on.pending.values()]) {
        if (each.since <= due) each.end(new RedriveError('unsure', 'RabbitMQ did not confirm the message in time.'))
      }
      if (on.pending.size > 0) watch(on)
    })
  }

  async function publishLater(publication: Publication): Promise<void> {
    const opened = await liveLine().catch((error) => {
      unanswered.ended()
      throw error
    })
    return publishOn(opened, publication)
  }

  return {
    publish(publication) {
      unanswered.began()
      const ready = readyLine()
      return ready ? publishOn(ready, publication) : publishLater(publication)
    },
    settled: unanswered.none,
  }
}

function markReturned(pending: ReadonlyMap<number, Pending>, { properties }: AmqpMessage): void {
  const number: unknown = properties.headers?.[sendHeader]
  const entry = typeof number === 'number' ? pending.get(number) : undefined
  if (entry) entry.returned = true
}

/** What the answer of the broker means; nothing when the message is safe. The library says "closed" where no answer came. */
function verdict({ returned, publication }: Pending, error: Error | null, { failure, refused }: Line): RedriveError | undefined {
  if (error && publication === refused && isAccessRefused(failure))
    return new RedriveError('refused', `The user may not write to the exchange "${publication.exchange}".`, { cause: failure })
  if (returned || (error && publication === refused))
    return new RedriveError('unknown-channel', `There is no queue "${publication.queue}" on the broker.`)
  if (error?.message === 'channel closed') return lineLost(publication, failure ?? error)
  if (error) return new RedriveError('refused', `RabbitMQ refused the message for "${publication.queue}".`, { cause: error })
  return undefined
}

/** A publish to an exchange that is gone, or closed to us, ends the channel. Of several, the first ones may have been in time. */
function refusedBy(error: unknown, pending: readonly Pending[]): Publication | undefined {
  const isRefusal = isNotFound(error) || isAccessRefused(error)
  const name = isRefusal ? /(?:no|access to) exchange '(.*?)' in vhost/.exec(String(error))?.[1] : undefined
  const candidates = pending.filter(({ publication }) => (publication.exchange || 'amq.default') === name)
  return candidates.length === 1 ? candidates[0]?.publication : undefined
}

function lineLost({ body }: Publication, cause: unknown): RedriveError {
  const limit = isPreconditionFailed(cause) ? /larger than configured max size (\d+)/.exec(String(cause))?.[1] : undefined
  if (limit !== undefined && body.length > Number(limit))
    return new RedriveError('too-large', `The body has ${body.length} bytes; the broker takes ${limit}.`, { cause })
  return new RedriveError('unsure', 'The connection was lost before RabbitMQ confirmed the message.', { cause })
}

function notEncoded(cause: unknown): RedriveError {
  if (String(cause).includes('encoding buffer')) return new RedriveError('too-large', 'The headers are too large.', { cause })
  const isClosed = (cause as Error).name === 'IllegalOperationError'
  if (isClosed) return new RedriveError('unreachable', 'The connection to RabbitMQ was lost.', { cause })
  return new RedriveError('bad-message', 'RabbitMQ cannot hold this message as it is.', { cause })
}
