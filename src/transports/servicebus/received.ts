import type { AmqpAnnotatedMessage } from '@azure/core-amqp'
import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import type { LongNumbers } from './library.ts'

/** What rhea tells of a message when it comes. */
export interface Arrival {
  readonly message?: RheaMessage
  readonly delivery?: { readonly tag?: unknown }
}

/** A message as rhea decodes it. */
interface RheaMessage {
  readonly body?: { readonly typecode?: unknown; readonly content?: unknown }
  readonly application_properties?: ServiceBusReceivedMessage['applicationProperties']
  readonly message_annotations?: Readonly<Record<string, unknown>>
  readonly message_id?: NonNullable<ServiceBusReceivedMessage['messageId']>
  readonly correlation_id?: NonNullable<ServiceBusReceivedMessage['correlationId']>
  readonly subject?: string
  readonly content_type?: string
  readonly content_encoding?: string
  readonly to?: string
  readonly reply_to?: string
  readonly group_id?: string
  readonly group_sequence?: number
  readonly reply_to_group_id?: string
  readonly delivery_count?: number
  readonly ttl?: number
  readonly creation_time?: Date
  readonly absolute_expiry_time?: Date
}

type Properties = NonNullable<AmqpAnnotatedMessage['properties']>

const dataSection = 0x75
const tagLength = 16
const noAnnotations: Readonly<Record<string, unknown>> = {}
/** What expires later expires then, says the SDK: in the last hours of the year 9999. */
const endOfTime = 253_402_243_199_000

/**
 * A message as the SDK shows it. The SDK makes three objects of every message, one after the other, with all that a message can have; this
 * one has what is looked at, and makes the rest when somebody asks.
 */
class Received {
  readonly body: Buffer
  readonly state = 'active'
  readonly applicationProperties: ServiceBusReceivedMessage['applicationProperties']
  readonly deliveryCount: number | undefined
  readonly messageId: ServiceBusReceivedMessage['messageId']
  readonly correlationId: ServiceBusReceivedMessage['correlationId']
  readonly subject: string | undefined
  readonly contentType: string | undefined
  readonly partitionKey: string | undefined
  readonly deadLetterSource: string | undefined
  readonly timeToLive: number | undefined
  readonly sequenceNumber: ServiceBusReceivedMessage['sequenceNumber']
  readonly enqueuedTimeUtc: Date | undefined
  sessionId: string | undefined
  lockedUntilUtc: Date | undefined
  readonly delivery: object
  /** Not private fields, and apart from the delivery: who stands in for this message by inheritance has these, and another delivery. */
  readonly raw: RheaMessage
  readonly tag: Buffer

  constructor(raw: RheaMessage, body: Buffer, delivery: { readonly tag: Buffer }, long: LongNumbers) {
    const annotations = raw.message_annotations ?? noAnnotations
    this.raw = raw
    this.body = body
    this.delivery = delivery
    this.tag = delivery.tag
    this.applicationProperties = raw.application_properties
    this.deliveryCount = raw.delivery_count
    this.messageId = raw.message_id
    this.correlationId = raw.correlation_id
    this.subject = raw.subject
    this.contentType = raw.content_type
    this.sessionId = raw.group_id
    this.timeToLive = timeToLive(raw)
    this.partitionKey = annotations['x-opt-partition-key'] as string | undefined
    this.deadLetterSource = annotations['x-opt-deadletter-source'] as string | undefined
    this.enqueuedTimeUtc = dateOf(annotations['x-opt-enqueued-time'])
    this.lockedUntilUtc = dateOf(annotations['x-opt-locked-until'])
    this.sequenceNumber = longOf(annotations['x-opt-sequence-number'], long)
  }

  /** The token is the tag of the delivery, whose first three groups are written from the last byte to the first. */
  get lockToken(): string {
    const { tag } = this
    const group = (from: number, to: number): string => tag.toString('hex', from, to)
    const turned = (from: number, to: number): string => Buffer.from(tag.subarray(from, to)).reverse().toString('hex')
    return [turned(0, 4), turned(4, 6), turned(6, 8), group(8, 10), group(10, 16)].join('-')
  }

  get _rawAmqpMessage(): AmqpAnnotatedMessage {
    const { raw, body } = this
    return { body, bodyType: 'data', properties: propertiesOf(raw) }
  }
}

/** Nothing where it is not as most messages are, with bytes for a body: that is left to the SDK. */
export function receivedFrom({ message, delivery }: Arrival, long: LongNumbers): ServiceBusReceivedMessage | undefined {
  const body = message?.body
  if (!message || body?.typecode !== dataSection || !Buffer.isBuffer(body.content)) return undefined
  if (!hasToken(delivery)) return undefined
  return new Received(message, body.content, delivery, long) as unknown as ServiceBusReceivedMessage
}

function hasToken(delivery: Arrival['delivery']): delivery is { readonly tag: Buffer } {
  return Buffer.isBuffer(delivery?.tag) && delivery.tag.length === tagLength
}

function timeToLive({ ttl, creation_time: created, absolute_expiry_time: expires }: RheaMessage): number | undefined {
  const ms = expires && created ? Math.min(expires.getTime(), endOfTime) - created.getTime() : ttl
  return ms || undefined
}

function dateOf(time: unknown): Date | undefined {
  if (time instanceof Date || time === undefined || time === null) return time ?? undefined
  return new Date(time as number)
}

function longOf(number: unknown, long: LongNumbers): ServiceBusReceivedMessage['sequenceNumber'] {
  if (number === undefined || number === null) return undefined as never
  return Buffer.isBuffer(number) ? long.fromBytesBE([...number]) : long.fromNumber(Number(number))
}

function propertiesOf(raw: RheaMessage): Properties {
  const properties: Properties = {}
  if (raw.to !== undefined) properties.to = raw.to
  if (raw.reply_to !== undefined) properties.replyTo = raw.reply_to
  if (raw.reply_to_group_id !== undefined) properties.replyToGroupId = raw.reply_to_group_id
  if (raw.content_encoding !== undefined) properties.contentEncoding = raw.content_encoding
  if (raw.group_sequence !== undefined) properties.groupSequence = raw.group_sequence
  return properties
}
