import type { Message as AmqpMessage, Options } from 'amqplib'
import { RedriveError } from '../../core/errors.ts'
import { headersFit, headersSize } from '../../core/headers.ts'
import type { Header, Message } from '../../core/message.ts'
import { carriedRoute, firstRoute, type Route } from '../../core/route.ts'
import type { Capabilities } from '../capabilities.ts'
import { decodeHeader, encodeHeader } from './header-values.ts'

export const transportName = 'rabbitmq'

/** A number that tells one publish of ours from all others, so that a returned message is told from its twins. Not shown. */
export const sendHeader = 'redrive-send'
const keyHeader = 'redrive-key'

/**
 * What may not be published as it was received, and is carried in a header of ours instead. A user id must be that of the
 * connection, an expiration would make the copy vanish from where it waits, and CC and BCC would route it to others again.
 */
const carriedProperties = { expiration: 'redrive-expiration', userId: 'redrive-user-id' } as const
const carriedNames = ['expiration', 'userId'] as const
const carriedHeaders: Readonly<Record<string, string>> = { CC: 'redrive-cc', BCC: 'redrive-bcc' }
const originalNames = new Map(Object.entries(carriedHeaders).map(([original, carried]) => [carried, original]))

/** Properties that are published as they were received. */
const plainProperties = ['contentEncoding', 'priority', 'replyTo', 'timestamp', 'appId'] as const
const nativeProperties = [...plainProperties, 'deliveryMode', 'clusterId'] as const

/** What the broker writes about the past of one copy; on another copy it would be a lie. */
const brokersOwn = /^x-(death|delivery-count|acquired-count|opt-deaths|(first|last)-death-(reason|queue|exchange))$/

export function toMessage({ content, properties, fields }: AmqpMessage): Message {
  const table: Record<string, unknown> = properties.headers ?? {}
  const headers: Header[] = []
  for (const name of Object.keys(table)) {
    if (!ours.has(name)) headers.push([originalNames.get(name) ?? name, decodeHeader(table[name])])
  }
  const key = table[keyHeader]
  // Field by field, because one is made for every message and spreading costs more than all the rest.
  const message: Draft = {
    body: content,
    headers,
    native: { transport: transportName, properties: nativeOf(properties, table, fields) },
  }
  if (properties.messageId !== undefined) message.id = properties.messageId
  if (typeof key === 'string' || key instanceof Uint8Array) message.key = key
  if (properties.type !== undefined) message.type = properties.type
  if (properties.contentType !== undefined) message.contentType = properties.contentType
  if (properties.correlationId !== undefined) message.correlationId = properties.correlationId
  return message
}

type Draft = { -readonly [Field in keyof Message]: Message[Field] }

const ours: ReadonlySet<string> = new Set([
  ...[sendHeader, keyHeader],
  ...Object.values(carriedProperties),
  ...Object.values(carriedRoute),
])

function nativeOf(
  properties: AmqpMessage['properties'],
  table: Record<string, unknown>,
  { exchange, routingKey }: AmqpMessage['fields'],
): Record<string, unknown> {
  const native: Record<string, unknown> = { exchange, routingKey }
  for (const name of nativeProperties) if (properties[name] !== undefined) native[name] = properties[name]
  for (const name of carriedNames) {
    const value = properties[name] ?? table[carriedProperties[name]]
    if (value !== undefined) native[name] = value
  }
  for (const name of Object.values(carriedRoute)) if (typeof table[name] === 'string') native[name] = table[name]
  return native
}

export interface PublishOptions extends Options.Publish {
  readonly headers: Record<string, unknown>
}

/** Everything but the body. Always persistent: a copy that a restart of the broker forgets is no copy. */
export function toPublish(message: Message, limits: Capabilities['messages']): PublishOptions {
  checkSize(message, limits)
  const native = message.native?.transport === transportName ? message.native.properties : {}
  const headers = tableOf(message, native)
  const options: Record<string, unknown> & { readonly headers: typeof headers } = { persistent: true, mandatory: true, headers }
  for (const name of plainProperties) if (native[name] !== undefined) options[name] = native[name]
  for (const [name, value] of [
    ['messageId', message.id],
    ['type', message.type],
    ['contentType', message.contentType],
    ['correlationId', message.correlationId],
  ] as const) {
    if (value === undefined) continue
    if (!isShort(value)) throw badMessage(`its ${name} is longer than 255 bytes`)
    options[name] = value
  }
  return options
}

export function bodyOf({ body }: Message): Buffer {
  if (body === null) throw badMessage('it has no body, and AMQP does not tell that from an empty one')
  // No copy: the library copies it into frames while we publish.
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

function tableOf(message: Message, native: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const table: Record<string, unknown> = {}
  for (const [name, value] of message.headers) {
    if (name.startsWith('x-') && brokersOwn.test(name)) continue
    const wireName = carriedHeaders[name] ?? name
    if (Object.hasOwn(table, wireName)) throw badMessage(`it has two headers "${name}", and AMQP holds one`)
    if (name === '__proto__' || !isShort(name)) throw badMessage('it has a header whose name AMQP cannot hold')
    table[wireName] = encodeHeader(value, name)
  }
  if (message.key !== undefined) table[keyHeader] = encodeHeader(message.key, keyHeader)
  for (const name of carriedNames) if (native[name] !== undefined) table[carriedProperties[name]] = String(native[name])
  const route = message.native && routeToCarry(message)
  if (route) Object.assign(table, { [carriedRoute.exchange]: route.exchange, [carriedRoute.routingKey]: route.routingKey })
  return table
}

/** A copy is published to a queue: only so is it known where the original was published, when somebody wants to send it there again. */
function routeToCarry(message: Message): Route | undefined {
  if (message.native?.transport !== transportName) return undefined
  const { exchange, routingKey } = message.native.properties
  const received = typeof exchange === 'string' && typeof routingKey === 'string' ? { exchange, routingKey } : undefined
  return firstRoute(message) ?? received
}

/** No unit of UTF-16 takes more than three bytes, so that most texts need not be measured. */
function isShort(text: string): boolean {
  return text.length * 3 <= 255 || Buffer.byteLength(text) <= 255
}

function checkSize({ body, headers }: Message, { maxBody, maxHeaders }: Capabilities['messages']): void {
  if (body !== null && body.byteLength > maxBody)
    throw new RedriveError('too-large', `The body has ${body.byteLength} bytes; at most ${maxBody} are allowed (maxBody).`)
  if (!headersFit(headers, maxHeaders))
    throw new RedriveError('too-large', `The headers have ${headersSize(headers)} bytes; at most ${maxHeaders} are allowed.`)
}

function badMessage(why: string): RedriveError {
  return new RedriveError('bad-message', `RabbitMQ cannot hold this message: ${why}.`)
}
