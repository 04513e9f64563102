import amqp, { type Channel, type ChannelModel, type ConfirmChannel, type ConsumeMessage, type Options } from 'amqplib'
import { RedriveError } from '../src/core/errors.ts'
import { textHeader, withoutHeaders } from '../src/core/headers.ts'
import type { HeaderValue, Message } from '../src/core/message.ts'
import type { Capabilities } from '../src/transports/capabilities.ts'
import type { Address, Delivery, ReceiveOptions, Receiver, SendOptions, Settlement } from '../src/transports/seam.ts'
import { absent, coalesce, mailbox, type Spike, within } from './spike.ts'

const keyHeader = 'redrive-key'
/** The broker closes the channel of a delivery that is older; it cannot be extended, and AMQP does not tell it. */
const consumerTimeout = 30 * 60_000
const answerWithin = 5_000

const capabilities: Capabilities = {
  hold: 'connection',
  counts: 'copies',
  retry: { by: 'copy', maxDelay: 7 * 86_400_000, headers: true },
  deadLetter: { native: true, carriesFailure: false },
  move: 'none',
  browse: 'disturbing',
  remove: 'none',
  ordering: 'none',
  deduplication: 0,
  delayedSend: 7 * 86_400_000,
  ttl: true,
  messages: {
    headers: 'typed',
    repeatedHeaders: false,
    tombstones: false,
    binary: true,
    maxBody: 134_217_728,
    maxHeaders: 100_000,
  },
}

interface Pending {
  readonly queue: string
  readonly id: string | undefined
  readonly body: Buffer
  returned: boolean
  fail(error: RedriveError): void
}
interface Session {
  readonly connection: ChannelModel
  readonly sender: ConfirmChannel
  readonly pending: Set<Pending>
  readonly lost: AbortController
}
interface Held {
  readonly channel: Channel
  readonly raw: ConsumeMessage
  readonly signal: AbortSignal
  readonly barrier: () => Promise<void>
  /** It no longer counts as ours. */
  readonly settled: () => void
  /** What was asked for cannot be known any more: only losing the channel makes it certain again. */
  readonly giveUp: () => void
  done?: Promise<void>
}

export function rabbitmqSpike(url: string): Spike {
  const held = new WeakMap<Delivery, Held>()
  const receivers = new Set<Receiver>()
  const ready = new Map<string, Promise<unknown>>()
  let session: Promise<Session> | undefined
  let closed = false

  function connected(): Promise<Session> {
    if (closed) return Promise.reject(new RedriveError('closed', 'The transport is closed.'))
    session ??= connect().catch((cause) => {
      session = undefined
      throw new RedriveError('unreachable', 'RabbitMQ cannot be reached.', { cause })
    })
    return session
  }

  async function connect(): Promise<Session> {
    const connection = await amqp.connect(`${url}?heartbeat=5`, { noDelay: true })
    const lost = new AbortController()
    const pending = new Set<Pending>()
    connection.on('error', () => {})
    connection.on('close', () => {
      session = undefined
      lost.abort(new RedriveError('unreachable', 'The connection to RabbitMQ was lost.'))
      for (const each of pending) each.fail(new RedriveError('unsure', 'The connection was lost before the broker confirmed.'))
    })
    const sender = await connection.createConfirmChannel()
    sender.on('error', () => {})
    sender.on('return', (raw) => {
      for (const each of pending)
        if (
          !each.returned &&
          each.queue === raw.fields.routingKey &&
          each.id === raw.properties.messageId &&
          each.body.equals(raw.content)
        ) {
          each.returned = true
          return
        }
    })
    return { connection, sender, pending, lost }
  }

  async function publish(exchange: string, queue: string, message: Message): Promise<void> {
    if (message.body === null) throw new RedriveError('bad-message', 'RabbitMQ has no tombstones.')
    const { sender, pending } = await connected()
    const body = Buffer.from(message.body)
    const options = toProperties(message)
    await within(
      answerWithin,
      'The publish',
      new Promise<void>((resolve, reject) => {
        const entry: Pending = { queue, id: message.id, body, returned: false, fail: reject }
        pending.add(entry)
        sender.publish(exchange, queue, body, options, (error) => {
          pending.delete(entry)
          if (error) reject(new RedriveError('refused', 'RabbitMQ did not take the message.', { cause: error }))
          else if (entry.returned) reject(new RedriveError('unknown-channel', `There is no queue "${queue}".`))
          else resolve()
        })
      }),
    )
  }

  /** One queue per quarter octave: 1, 1.25, 1.5, 1.75, 2, 2.5 … seconds; a delay is rounded up, never down. */
  async function delayExchange(queue: string, delay: number): Promise<string> {
    const octave = 2 ** Math.floor(Math.log2(Math.max(delay, 125)))
    const level = Math.ceil(delay / (octave / 4)) * (octave / 4)
    const name = `redrive.delay.${level}`
    await once(name, async (channel) => {
      await channel.assertExchange('redrive.return', 'direct', { durable: true })
      await channel.assertExchange(name, 'fanout', { durable: true })
      const args = { ...quorum, 'x-message-ttl': level, 'x-dead-letter-exchange': 'redrive.return', ...safeDlx }
      await channel.assertQueue(name, { durable: true, arguments: args })
      await channel.bindQueue(name, name, '')
    })
    await once(`home ${queue}`, (channel) => channel.bindQueue(queue, 'redrive.return', queue))
    return name
  }

  function once(what: string, work: (channel: Channel) => Promise<unknown>): Promise<unknown> {
    const running = ready.get(what) ?? withChannel(work)
    ready.set(what, running)
    running.catch(() => ready.delete(what))
    return running
  }

  async function withChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    const { connection } = await connected()
    const channel = await connection.createChannel()
    channel.on('error', () => {})
    try {
      return await work(channel)
    } catch (cause) {
      throw (cause as { code?: number }).code === 404 ? new RedriveError('unknown-channel', String(cause), { cause }) : cause
    } finally {
      await channel.close().catch(() => {})
    }
  }

  async function receive(address: Address, options: ReceiveOptions): Promise<Receiver> {
    const { connection, lost: connectionLost } = await connected()
    const channel = await connection.createChannel()
    const hold = new AbortController()
    const lost = new AbortController()
    const box = mailbox<ConsumeMessage>()
    const barrier = coalesce(async () => void (await channel.prefetch(options.prefetch)))
    let taking = true
    let credit = 0
    let unsettled = 0
    let failure: unknown
    const consumers: string[] = []
    const die = (): void => {
      if (hold.signal.aborted) return
      hold.abort(new RedriveError('hold-lost', 'The channel was lost.'))
      lost.abort(connectionLost.signal.reason ?? new RedriveError('unreachable', 'The channel was lost.', { cause: failure }))
      box.close()
    }
    const giveUp = (): void => {
      die()
      void channel.close().catch(() => {})
    }
    channel.on('error', (error) => {
      failure = error
    })
    channel.on('close', die)
    /** A quorum queue knows no credit but the prefetch of a consumer, fixed when it starts: growth is one more consumer. */
    const growTo = async (wanted: number): Promise<void> => {
      const more = Math.min(wanted, options.prefetch) - credit
      if (more <= 0 || !taking || hold.signal.aborted) return
      credit += more
      await channel.prefetch(more)
      const { consumerTag } = await channel.consume(address.name, (raw) => {
        if (raw === null) die()
        else if (taking) box.put(raw)
        else channel.nack(raw, false, true)
      })
      consumers.push(consumerTag)
    }
    await channel.checkQueue(address.name).catch((cause) => {
      const code = cause.code === 404 ? 'unknown-channel' : 'unreachable'
      throw new RedriveError(code, `Cannot receive from "${address.name}".`, { cause })
    })
    const receiver: Receiver = {
      lost: lost.signal,
      async take(max, wait) {
        await growTo(unsettled + max)
        const raws = await box.take(max, wait)
        unsettled += raws.length
        return raws.map((raw) => {
          const delivery = toDelivery(address, raw, hold.signal)
          held.set(delivery, { channel, raw, signal: hold.signal, barrier, giveUp, settled: () => unsettled-- })
          return delivery
        })
      },
      async close() {
        if (!taking) return
        taking = false
        receivers.delete(receiver)
        box.close()
        if (hold.signal.aborted) return
        await Promise.all(consumers.map((tag) => channel.cancel(tag)))
        for (const raw of box.items.splice(0)) channel.nack(raw, false, true)
        await barrier()
      },
    }
    receivers.add(receiver)
    return receiver
  }

  async function settleNow({ channel, raw, barrier, settled, giveUp }: Held, settlement: Settlement): Promise<void> {
    if (settlement.kind === 'complete') channel.ack(raw)
    else if (settlement.kind === 'release') channel.nack(raw, false, true)
    else if (settlement.kind === 'reject') channel.nack(raw, false, false)
    else throw new RedriveError('unsupported', `RabbitMQ has no ${settlement.kind}: send a copy, then complete.`)
    settled()
    await within(answerWithin, 'The settlement', barrier()).catch((cause) => {
      giveUp()
      throw new RedriveError('unsure', 'The connection was lost before the broker answered.', { cause })
    })
  }

  return {
    name: 'rabbitmq',
    capabilities,
    async provision(wanted) {
      for (const { address } of wanted.channels)
        await withChannel((channel) => channel.assertQueue(address.name, { durable: true, arguments: quorum }))
      return []
    },
    receive,
    async extend(delivery) {
      const mine = held.get(delivery)
      if (!mine || mine.signal.aborted) throw new RedriveError('hold-lost', 'The channel was lost.')
      return delivery.heldUntil
    },
    async settle(delivery, settlement) {
      const mine = held.get(delivery)
      if (!mine) throw new RedriveError('hold-lost', 'This delivery is not from here.')
      if (mine.done) return mine.done
      if (closed) throw new RedriveError('closed', 'The transport is closed.')
      if (mine.signal.aborted) throw mine.signal.reason
      mine.done = settleNow(mine, settlement)
      mine.done.catch(() => {
        delete mine.done
      })
      return mine.done
    },
    async send(address, message, options: SendOptions = {}) {
      const exchange = options.delay ? await delayExchange(address.name, options.delay) : ''
      await publish(exchange, address.name, message)
      return { duplicate: false }
    },
    browse: absent('browse'),
    remove: absent('remove'),
    async measure(address) {
      const { messageCount } = await withChannel((channel) => channel.checkQueue(address.name))
      return { retained: messageCount, pending: messageCount }
    },
    async close() {
      if (closed) return
      const current = session
      for (const receiver of [...receivers]) await receiver.close().catch(() => {})
      closed = true
      const open = await current?.catch(() => undefined)
      await open?.sender.waitForConfirms().catch(() => {})
      await open?.connection.close().catch(() => {})
    },
    async crash() {
      const { connection } = await connected()
      const stream = (connection as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection.stream
      stream.destroy(new Error('cut'))
    },
  }
}

const quorum = { 'x-queue-type': 'quorum' }
const safeDlx = { 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' }

function toDelivery(address: Address, raw: ConsumeMessage, signal: AbortSignal): Delivery {
  const count = raw.properties.headers?.['x-delivery-count'] ?? (raw.fields.redelivered ? 1 : 0)
  return {
    message: toMessage(raw),
    address,
    deliveries: Number(count) + 1,
    turns: 0,
    suspect: raw.fields.redelivered,
    heldUntil: Date.now() + consumerTimeout,
    hold: { signal },
  }
}

const brokersOwn = (name: string): boolean => /^x-(death|first-death-|last-death-|delivery-count)/.test(name)

function toMessage({ content, properties }: ConsumeMessage): Message {
  const { messageId, type, contentType, correlationId, headers, ...native } = properties
  const all = Object.entries((headers ?? {}) as Record<string, HeaderValue>)
  const key = textHeader(all, keyHeader)
  return {
    ...(messageId === undefined ? {} : { id: messageId }),
    body: content,
    headers: withoutHeaders(all, (name) => name === keyHeader || brokersOwn(name)),
    ...(key === undefined ? {} : { key }),
    ...(type === undefined ? {} : { type }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(correlationId === undefined ? {} : { correlationId }),
    native: { transport: 'rabbitmq', properties: native },
  }
}

function toProperties(message: Message): Options.Publish {
  const native = message.native?.transport === 'rabbitmq' ? message.native.properties : {}
  const headers = Object.fromEntries(message.headers)
  if (message.key !== undefined) headers[keyHeader] = message.key
  return {
    ...native,
    expiration: undefined,
    userId: undefined,
    messageId: message.id,
    type: message.type,
    contentType: message.contentType,
    correlationId: message.correlationId,
    headers,
    persistent: true,
    mandatory: true,
  } as unknown as Options.Publish
}
