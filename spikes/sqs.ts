import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  type MessageAttributeValue,
  type Message as Raw,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { type ErrorCode, RedriveError } from '../src/core/errors.ts'
import type { Header, HeaderValue, Message } from '../src/core/message.ts'
import type { Capabilities } from '../src/transports/capabilities.ts'
import type { Address, Delivery, ReceiveOptions, Receiver, Settlement } from '../src/transports/seam.ts'
import { absent, mailbox, type Spike } from './spike.ts'

const longestDelay = 900
const answerWithin = 5_000
/** A poll that is cut off loses what it was about to bring until the hold expires, so it is short and always awaited. */
const pollSeconds = 1
const packed = 'redrive-packed'

const capabilities: Capabilities = {
  hold: 'lock',
  counts: 'deliveries',
  retry: { by: 'copy', maxDelay: longestDelay * 1_000, headers: true },
  deadLetter: { native: false, carriesFailure: false },
  move: 'none',
  browse: 'disturbing',
  remove: 'none',
  ordering: 'none',
  deduplication: 0,
  delayedSend: longestDelay * 1_000,
  ttl: false,
  messages: { headers: 'typed', repeatedHeaders: true, tombstones: true, binary: true, maxBody: 262_144, maxHeaders: 200_000 },
}

interface Held {
  readonly queue: string
  readonly handle: string
  readonly hold: AbortController
  until: number
  expiry: NodeJS.Timeout
  done?: Promise<void>
}

export function sqsSpike(endpoint: string): Spike {
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' }
  const client = new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials,
    maxAttempts: 1,
    requestHandler: { requestTimeout: answerWithin, throwOnRequestTimeout: true },
  })
  const held = new WeakMap<Delivery, Held>()
  const unsettled = new Set<Held>()
  const receivers = new Set<Receiver>()
  let closed = false
  let crashed = false

  async function queueUrl({ name }: Address): Promise<string> {
    if (closed) throw new RedriveError('closed', 'The transport is closed.')
    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: name })).catch((cause) => {
      throw new RedriveError(
        /NonExistent|DoesNotExist/.test(cause.name) ? 'unknown-channel' : 'unreachable',
        `No queue "${name}".`,
        { cause },
      )
    })
    return QueueUrl ?? ''
  }

  async function changeVisibility(mine: Held, seconds: number): Promise<void> {
    await client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: mine.queue, ReceiptHandle: mine.handle, VisibilityTimeout: seconds }),
    )
  }

  /** Our clock starts before the request, so a hold ends here before it ends at the broker. */
  function holdFor(mine: Held, from: number, ms: number): void {
    clearTimeout(mine.expiry)
    mine.until = from + ms
    const expire = (): void => mine.hold.abort(new RedriveError('hold-lost', 'The visibility timeout has passed.'))
    mine.expiry = setTimeout(expire, mine.until - Date.now()).unref()
  }

  function toDelivery(address: Address, queue: string, raw: Raw, from: number, ms: number): Delivery {
    const hold = new AbortController()
    const mine: Held = { queue, handle: raw.ReceiptHandle ?? '', hold, until: 0, expiry: setTimeout(() => {}, 0) }
    holdFor(mine, from, ms)
    unsettled.add(mine)
    const deliveries = Number(raw.Attributes?.ApproximateReceiveCount ?? 1)
    const delivery: Delivery = {
      message: toMessage(raw),
      address,
      position: raw.MessageId ?? '',
      deliveries,
      turns: 0,
      suspect: deliveries > 1,
      heldUntil: mine.until,
      enqueuedAt: Number(raw.Attributes?.SentTimestamp),
      hold: { signal: hold.signal },
    }
    held.set(delivery, mine)
    return delivery
  }

  async function receive(address: Address, options: ReceiveOptions): Promise<Receiver> {
    const queue = await queueUrl(address)
    const seconds = Math.max(1, Math.ceil(options.hold / 1_000))
    const box = mailbox<Delivery>()
    const lost = new AbortController()
    let taking = true
    let polling: Promise<void> | undefined
    const poll = async (max: number): Promise<void> => {
      const from = Date.now()
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: queue,
          MaxNumberOfMessages: Math.min(max, 10),
          VisibilityTimeout: seconds,
          WaitTimeSeconds: pollSeconds,
          MessageAttributeNames: ['All'],
          MessageSystemAttributeNames: ['All'],
        }),
      )
      for (const raw of Messages) box.put(toDelivery(address, queue, raw, from, seconds * 1_000))
    }
    const fail = (cause: unknown): void => {
      lost.abort(new RedriveError('unreachable', 'SQS did not answer.', { cause }))
      box.close()
    }
    const receiver: Receiver = {
      lost: lost.signal,
      async take(max, wait) {
        const until = performance.now() + wait
        for (;;) {
          if (taking && box.items.length === 0 && !lost.signal.aborted)
            polling ??= poll(max)
              .catch(fail)
              .finally(() => {
                polling = undefined
                if (box.items.length === 0) box.wake()
              })
          const left = until - performance.now()
          if (left <= 0 || !taking) return []
          const some = await box.take(max, left)
          const ours = some.filter((delivery) => !delivery.hold.signal.aborted)
          if (ours.length > 0 || lost.signal.aborted) return ours
        }
      },
      async close() {
        if (!taking) return
        taking = false
        receivers.delete(receiver)
        await polling
        box.close()
        await Promise.all(box.items.splice(0).map((delivery) => settle(delivery, { kind: 'release' }).catch(() => {})))
      },
    }
    receivers.add(receiver)
    return receiver
  }

  async function settleNow(mine: Held, settlement: Settlement): Promise<void> {
    const { queue: QueueUrl, handle: ReceiptHandle } = mine
    if (settlement.kind === 'complete') await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    else if (settlement.kind === 'release') await changeVisibility(mine, 0)
    else throw new RedriveError('unsupported', `SQS has no ${settlement.kind}.`)
    clearTimeout(mine.expiry)
    unsettled.delete(mine)
  }

  async function settle(delivery: Delivery, settlement: Settlement): Promise<void> {
    const mine = held.get(delivery)
    if (mine?.done) return mine.done
    if (!mine || mine.hold.signal.aborted) throw new RedriveError('hold-lost', 'The visibility timeout has passed.')
    mine.done = settleNow(mine, settlement).catch((cause) => {
      delete mine.done
      throw cause instanceof RedriveError ? cause : failed('unsure', cause)
    })
    mine.done.catch(() => {})
    return mine.done
  }

  return {
    name: 'sqs',
    capabilities,
    async provision(wanted) {
      for (const { address } of wanted.channels) await client.send(new CreateQueueCommand({ QueueName: address.name }))
      return []
    },
    receive,
    async extend(delivery, ms) {
      const mine = held.get(delivery)
      if (!mine || mine.done || mine.hold.signal.aborted)
        throw new RedriveError('hold-lost', 'The visibility timeout has passed.')
      const from = Date.now()
      await changeVisibility(mine, Math.ceil(ms / 1_000))
      holdFor(mine, from, Math.ceil(ms / 1_000) * 1_000)
      return mine.until
    },
    settle,
    async send(address, message, options = {}) {
      const QueueUrl = await queueUrl(address)
      const delay = Math.ceil((options.delay ?? 0) / 1_000)
      if (delay > longestDelay) throw new RedriveError('unsupported', 'SQS delays a send by at most 15 minutes.')
      const sent = await client
        .send(new SendMessageCommand({ QueueUrl, ...toRaw(message), DelaySeconds: delay }))
        .catch((cause) => {
          const refused = cause.$metadata?.httpStatusCode >= 400 && cause.$metadata?.httpStatusCode < 500
          throw failed(refused ? 'refused' : 'unsure', cause)
        })
      return { duplicate: false, ...(sent.MessageId === undefined ? {} : { position: sent.MessageId }) }
    },
    browse: absent('browse'),
    remove: absent('remove'),
    measure: absent('measure'),
    async close() {
      if (closed) return
      for (const receiver of [...receivers]) await receiver.close()
      closed = true
      if (!crashed)
        await Promise.all(
          [...unsettled].filter((mine) => !mine.hold.signal.aborted).map((mine) => changeVisibility(mine, 0).catch(() => {})),
        )
      for (const mine of unsettled) mine.hold.abort(new RedriveError('hold-lost', 'The transport was closed.'))
      client.destroy()
    },
    async crash() {
      crashed = true
    },
  }
}

/** A connection that never came about carried nothing. */
function failed(code: ErrorCode, cause: { code?: string }): RedriveError {
  return new RedriveError(cause.code === 'ECONNREFUSED' ? 'unreachable' : code, 'SQS did not confirm.', { cause })
}

/** What an attribute cannot hold travels in one attribute of ours: odd names, types, repeats, empty values, more than nine. */
interface Packed {
  body?: 'null' | 'base64' | 'empty'
  fields?: Record<string, string>
  headers?: [string, unknown][]
}

const plainName = /^(?!aws\.|amazon\.)[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/i
const plainText = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd]+$/

function toRaw(message: Message): { MessageBody: string; MessageAttributes: Record<string, MessageAttributeValue> } {
  const attributes: Record<string, MessageAttributeValue> = {}
  const rest: Header[] = []
  for (const [name, value] of message.headers) {
    const plain = typeof value === 'string' && plainText.test(value) && plainName.test(name) && !(name in attributes)
    if (plain && Object.keys(attributes).length < 9) attributes[name] = { DataType: 'String', StringValue: value }
    else rest.push([name, value])
  }
  const { body, encoding } = toBody(message.body)
  const { id, key, type, contentType, correlationId } = message
  const fields = Object.fromEntries(
    Object.entries({ id, key, type, contentType, correlationId }).filter(([, value]) => value !== undefined),
  )
  const note: Packed = {
    ...(encoding ? { body: encoding } : {}),
    fields: fields as Record<string, string>,
    headers: rest.map(([name, value]) => [name, tagged(value)]),
  }
  attributes[packed] = { DataType: 'String', StringValue: JSON.stringify(note) }
  return { MessageBody: body, MessageAttributes: attributes }
}

function toBody(body: Uint8Array | null): { body: string; encoding?: 'null' | 'base64' | 'empty' } {
  if (body === null) return { body: '-', encoding: 'null' }
  if (body.length === 0) return { body: '-', encoding: 'empty' }
  const text = Buffer.from(body).toString()
  if (plainText.test(text) && Buffer.from(text).equals(Buffer.from(body))) return { body: text }
  return { body: Buffer.from(body).toString('base64'), encoding: 'base64' }
}

function toMessage(raw: Raw): Message {
  const { [packed]: note, ...attributes } = raw.MessageAttributes ?? {}
  const { body: encoding, fields = {}, headers = [] }: Packed = note?.StringValue ? JSON.parse(note.StringValue) : {}
  const text = raw.Body ?? ''
  const plain = Object.entries(attributes).map(([name, value]): Header => [name, value.BinaryValue ?? value.StringValue ?? ''])
  const body =
    encoding === 'null'
      ? null
      : encoding === 'empty'
        ? new Uint8Array()
        : Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
  return { ...fields, body, headers: [...plain, ...headers.map(([name, value]): Header => [name, untagged(value)])] }
}

function tagged(value: HeaderValue): unknown {
  if (typeof value === 'bigint') return { '!': 'bigint', value: String(value) }
  if (value instanceof Uint8Array) return { '!': 'bytes', value: Buffer.from(value).toString('base64') }
  return value
}

function untagged(value: unknown): HeaderValue {
  const { '!': tag, value: inner } = (value ?? {}) as { '!'?: string; value?: string }
  if (tag === 'bigint') return BigInt(inner ?? 0)
  if (tag === 'bytes') return Buffer.from(inner ?? '', 'base64')
  return value as HeaderValue
}
