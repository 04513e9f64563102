import { type Duration, parseDuration } from '../core/duration.ts'
import { isCertainlyNotWritten, RedriveError } from '../core/errors.ts'
import { withHeaders } from '../core/headers.ts'
import type { Headers, Message } from '../core/message.ts'
import { readOptions } from '../core/options.ts'
import type { Address, Receipt, SendOptions, Transport } from '../transports/seam.ts'
import { type CheckIn, type CheckInOptions, checkIn, resolveCheckIn } from './claim-check.ts'
import { aTransport } from './consumer-options.ts'
import type { MessageDefinition } from './define-message.ts'
import { type Platform, systemPlatform } from './platform.ts'
import { issuePaths } from './standard-schema.ts'
import { traceHeaders } from './tracing.ts'

export interface ProducerOptions {
  readonly transport: Transport
  /** Where bodies go that are too large to travel with their message. */
  readonly claimCheck?: CheckInOptions
  readonly platform?: Partial<Platform>
}

export interface ProduceOptions {
  /** Where to send it; by default the channel of the definition. */
  readonly channel?: string
  readonly id?: string
  readonly correlationId?: string
  readonly headers?: Headers
  readonly delay?: Duration
  readonly dedupId?: string
}

const produceKeys = ['channel', 'id', 'correlationId', 'headers', 'delay', 'dedupId'] as const

export interface Producer {
  /** Validates, encodes and sends. Resolves when the broker has confirmed that the message is durable. */
  send<T>(definition: MessageDefinition<T>, value: T, options?: ProduceOptions): Promise<Receipt & { readonly id: string }>
}

export function createProducer(options: ProducerOptions): Producer {
  const given = readOptions(options, ['transport', 'claimCheck', 'platform'], 'createProducer')
  const transport = given.required('transport', aTransport)
  const platform: Platform = { ...systemPlatform(), ...options.platform }
  const { maxBody } = transport.capabilities.messages
  const check = given.read('claimCheck', (value, where) => resolveCheckIn(value, where, maxBody), undefined)

  /** A body whose message was certainly not written, or is known already, is not kept. */
  async function sendChecked(to: Address, message: Message, sending: SendOptions, checks: CheckIn): Promise<Receipt> {
    const checked = await checkIn(message, checks, platform)
    try {
      const receipt = await transport.send(to, checked.message, sending)
      if (receipt.duplicate) await checked.withdraw()
      return receipt
    } catch (error) {
      // Nobody will ever ask for its body.
      if (isCertainlyNotWritten(error)) await checked.withdraw()
      throw error
    }
  }

  return {
    async send(definition, value, produce = {}) {
      readOptions(produce, produceKeys, 'send')
      const id = produce.id ?? platform.newId()
      const message = await compose(definition, value, id, produce, platform)
      const to = { name: produce.channel ?? definition.channel }
      const sending = sendOptions(produce)
      const receipt = await (check ? sendChecked(to, message, sending, check) : transport.send(to, message, sending))
      return { ...receipt, id }
    },
  }
}

function sendOptions({ delay, dedupId }: ProduceOptions): SendOptions {
  return {
    ...(delay !== undefined && { delay: parseDuration(delay, 'send delay') }),
    ...(dedupId !== undefined && { dedupId }),
  }
}

async function compose<T>(
  definition: MessageDefinition<T>,
  value: T,
  id: string,
  options: ProduceOptions,
  platform: Platform,
): Promise<Message> {
  const { type, codec, key } = definition
  await validate(definition, value)
  return {
    id: aText(id, 'id', type),
    type,
    contentType: codec.contentType,
    correlationId: aText(options.correlationId ?? platform.newId(), 'correlation id', type),
    body: encode(definition, value),
    headers: withHeaders(options.headers ?? [], traceHeaders()),
    ...(key && { key: aText(key(value), 'key', type) }),
  }
}

/** What is written in JavaScript may give a number: then whoever reads the message would take it for somebody else's. */
function aText(value: string, what: string, type: string): string {
  if (typeof value === 'string') return value
  throw new RedriveError('bad-message', `the ${what} of "${type}" must be a text, and it is a ${typeof value}`)
}

/** A message that its own consumer would refuse is better refused here, where somebody can still mend it. */
async function validate<T>({ schema, type }: MessageDefinition<T>, value: T): Promise<void> {
  const result = await schema?.['~standard'].validate(value)
  if (result?.issues) throw new RedriveError('bad-message', `not a valid "${type}": wrong at ${issuePaths(result.issues)}`)
}

function encode<T>({ codec, type }: MessageDefinition<T>, value: T): Uint8Array {
  try {
    return codec.encode(value)
  } catch (cause) {
    throw new RedriveError('bad-message', `"${type}" does not encode as ${codec.contentType}`, { cause })
  }
}
