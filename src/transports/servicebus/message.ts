import type { AmqpAnnotatedMessage } from '@azure/core-amqp'
import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import { RedriveError } from '../../core/errors.ts'
import { headersFit, headersSize } from '../../core/headers.ts'
import type { Header, HeaderValue, Message } from '../../core/message.ts'
import type { NewId } from '../../core/ports.ts'
import type { Capabilities } from '../capabilities.ts'
import { badMessage } from './bad-message.ts'
import { bodyBytes, bodyFor, isText } from './body.ts'
import { needsTypes, typedProperties } from './encoded-properties.ts'
import { decodeHeader, encodeHeader, fromNestedText, isNested, plain } from './header-values.ts'
import type { RheaTypes, Typed } from './rhea.ts'
import { sessionFor, sessionKey } from './session-id.ts'

export const transportName = 'servicebus'

/** Headers of ours that no receiver of ours shows. */
const own = {
  /** The id was made up, because the service and the SDK want one. */
  noId: 'redrive-no-id',
  /** A key that no session id can hold. */
  key: 'redrive-key',
  /** Which headers are lists or tables, as text. */
  nested: 'redrive-nested',
  /** A copy does not expire where it waits; so a time to live is kept and not used. */
  timeToLive: 'redrive-time-to-live',
} as const
/** Which delivery had an outcome that somebody recorded, how many turns there had been, and before when it is not to be given out again. */
export const record = {
  deliveries: 'redrive-recorded-deliveries',
  turns: 'redrive-recorded-turns',
  notBefore: 'redrive-not-before',
} as const
const hidden: ReadonlySet<string> = new Set([...Object.values(own), ...Object.values(record)])
/** What the service writes about the death of one copy; on another copy it would be a lie. */
const servicesOwn: ReadonlySet<string> = new Set(['DeadLetterReason', 'DeadLetterErrorDescription'])

/** Properties that are sent as they were received. */
const plainProperties = ['to', 'replyTo', 'replyToGroupId', 'contentEncoding', 'groupSequence'] as const
export const partitionKey = 'x-opt-partition-key'
const scheduledTime = 'x-opt-scheduled-enqueue-time'
const longestSessionId = 128

type Draft = { -readonly [Field in keyof Message]: Message[Field] }

export function toMessage(types: RheaTypes, received: ServiceBusReceivedMessage): Message {
  const properties = received.applicationProperties ?? {}
  const native: Record<string, unknown> = nativeOf(received)
  const message: Draft = {
    body: bodyBytes(received),
    headers: headersOf(types, properties, native),
    native: { transport: transportName, properties: native },
  }
  const key = properties[own.key] as unknown
  const session = received.sessionId
  if (received.messageId !== undefined && properties[own.noId] === undefined) message.id = String(received.messageId)
  if (key instanceof Uint8Array || typeof key === 'string') message.key = key
  else if (session !== undefined && sessionKey(session) !== undefined) message.key = session
  if (received.subject !== undefined) message.type = received.subject
  if (received.contentType !== undefined) message.contentType = received.contentType
  if (received.correlationId !== undefined) message.correlationId = String(received.correlationId)
  return message
}

function nativeOf(received: ServiceBusReceivedMessage): Record<string, unknown> {
  const raw = received._rawAmqpMessage
  const native: Record<string, unknown> = { bodyType: isText(received) ? 'value' : 'data' }
  for (const name of plainProperties) if (raw.properties?.[name] !== undefined) native[name] = raw.properties[name]
  if (received.partitionKey !== undefined) native['partitionKey'] = received.partitionKey
  const timeToLive = received.timeToLive ?? received.applicationProperties?.[own.timeToLive]
  if (timeToLive !== undefined) native['timeToLive'] = timeToLive
  if (received.deadLetterSource !== undefined) native['deadLetterSource'] = received.deadLetterSource
  else if (isLetter(received)) addPast(native, received)
  return native
}

function isLetter({ applicationProperties = {} }: ServiceBusReceivedMessage): boolean {
  return [...servicesOwn].some((name) => applicationProperties[name] !== undefined)
}

/** What the service knows of a letter from before it died. One that was forwarded from its sub-queue is another copy, and begins anew. */
function addPast(native: Record<string, unknown>, received: ServiceBusReceivedMessage): void {
  native['sequenceNumber'] = String(received.sequenceNumber)
  native['deliveryCount'] = received.deliveryCount ?? 0
  native['enqueuedTimeUtc'] = received.enqueuedTimeUtc
}

function headersOf(types: RheaTypes, properties: object, native: Record<string, unknown>): Header[] {
  const values = properties as Readonly<Record<string, unknown>>
  const all = Object.keys(values)
  if (all.length === 0) return []
  const typed = needsTypes(properties) ? typedProperties(types, properties) : undefined
  const nested: ReadonlySet<string> = new Set(String(values[own.nested] ?? '').split('\n'))
  const kept: Record<string, string> = {}
  const headers: Header[] = []
  for (const name of all) {
    if (hidden.has(name)) continue
    const known = typed?.get(name)
    const { value, type } = known ? decodeHeader(known) : { value: plain(values[name]) }
    if (type !== undefined) kept[name] = type
    headers.push([name, nested.has(name) && typeof value === 'string' ? fromNestedText(value) : value])
  }
  if (Object.keys(kept).length > 0) native['types'] = kept
  return headers
}

export interface Outgoing {
  readonly types: RheaTypes
  readonly newId: NewId
  readonly sessions: boolean
  readonly limits: Capabilities['messages']
}

/** The message as the SDK takes it whole, with every type; rejects what Service Bus would give back as something else. */
export function toSend(message: Message, delayedUntil: number | undefined, outgoing: Outgoing): AmqpAnnotatedMessage {
  checkSize(message, outgoing.limits)
  const native = message.native?.transport === transportName ? message.native.properties : {}
  const properties: Record<string, unknown> = { messageId: checkedId(message.id ?? outgoing.newId()) }
  for (const name of plainProperties) if (native[name] !== undefined) properties[name] = native[name]
  if (message.type !== undefined) properties['subject'] = message.type
  if (message.contentType !== undefined) properties['contentType'] = message.contentType
  if (message.correlationId !== undefined) properties['correlationId'] = message.correlationId
  const session = sessionOf(message, outgoing)
  if (session !== undefined) properties['groupId'] = session
  const annotations: Record<string, unknown> = {}
  if (typeof native['partitionKey'] === 'string') annotations[partitionKey] = session ?? native['partitionKey']
  if (delayedUntil !== undefined) annotations[scheduledTime] = new Date(delayedUntil)
  return {
    ...bodyFor(message, native['bodyType']),
    properties,
    messageAnnotations: annotations,
    applicationProperties: tableOf(message, native, session, outgoing.types) as NonNullable<
      AmqpAnnotatedMessage['applicationProperties']
    >,
  }
}

function tableOf(
  { headers, id, key }: Message,
  native: Readonly<Record<string, unknown>>,
  session: string | undefined,
  types: RheaTypes,
): Record<string, Typed> {
  const table: Record<string, Typed> = {}
  const kept = (native['types'] ?? {}) as Readonly<Record<string, string>>
  const nested: string[] = []
  for (const [name, value] of headers) {
    if (servicesOwn.has(name)) continue
    if (Object.hasOwn(table, name)) throw badMessage(`it has two headers "${name}", and AMQP holds one`)
    if (name === '__proto__' || name.includes('\n')) throw badMessage('it has a header whose name it cannot keep')
    if (isNested(value)) nested.push(name)
    table[name] = encodeHeader(types, name, value, kept[name])
  }
  const extra: Record<string, HeaderValue | undefined> = {
    [own.nested]: nested.length > 0 ? nested.join('\n') : undefined,
    [own.noId]: id === undefined ? true : undefined,
    [own.key]: key !== session ? key : undefined,
    [own.timeToLive]: native['timeToLive'] as number | undefined,
  }
  for (const [name, value] of Object.entries(extra)) if (value !== undefined) table[name] = encodeHeader(types, name, value)
  return table
}

/** A key is the id of a session, which only an entity that requires sessions makes something of. */
function sessionOf({ key, id }: Message, { sessions, newId }: Outgoing): string | undefined {
  const fits = typeof key === 'string' && key !== '' && key.length <= longestSessionId && sessionKey(key) !== undefined
  if (fits) return key
  if (!sessions) return undefined
  if (key === undefined) return sessionFor(id ?? newId())
  throw badMessage(`its key is no session id, which is text of 1 to ${longestSessionId} characters`)
}

function checkedId(id: string): string {
  if (id.length <= 128) return id
  throw badMessage('its id is longer than 128 characters')
}

function checkSize({ body, headers }: Message, { maxBody, maxHeaders }: Capabilities['messages']): void {
  if (body !== null && body.byteLength > maxBody)
    throw new RedriveError('too-large', `The body has ${body.byteLength} bytes; at most ${maxBody} are allowed (maxBody).`)
  if (!headersFit(headers, maxHeaders))
    throw new RedriveError('too-large', `The headers have ${headersSize(headers)} bytes; at most ${maxHeaders} are allowed.`)
}
