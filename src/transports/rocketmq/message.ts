import { Buffer } from 'node:buffer'
import { RedriveError } from '../../core/errors.ts'
import { headersFit, headersSize } from '../../core/headers.ts'
import type { HeaderTable, HeaderValue, Message } from '../../core/message.ts'
import { present } from '../../core/present.ts'
import type { Capabilities } from '../capabilities.ts'
import {
  type Carried,
  carriedHeaders,
  carriedNote,
  hasFields,
  packEnvelope,
  restoredHeaders,
  unpackEnvelope,
} from '../packed-headers.ts'
import { escaped, isPlainText, isProperty, packedName, roomForBytes, roomForProperties, weightOf } from './properties.ts'

export const transportName = 'rocketmq'

/**
 * RocketMQ holds a body that is not empty, a tag, keys, and properties that are text without control characters. Headers that are such
 * text are properties, so that others than us read them; everything else stands in one property of ours, as an envelope: id, type,
 * key, headers of other kinds, and where the properties stand among the headers. Where that is more than properties may weigh, the
 * envelope stands before the body.
 */
export interface Outgoing {
  readonly body: Uint8Array
  readonly properties: ReadonlyMap<string, string>
  readonly tag: string | undefined
  readonly keys: readonly string[]
}

/** A message as it came, whichever way it was read. */
export interface Incoming {
  readonly body: Uint8Array
  readonly properties: ReadonlyMap<string, string>
  /** What the broker says about it, under the broker's own names. */
  readonly native: HeaderTable
  /** Of a FIFO message. */
  readonly messageGroup?: string | undefined
  readonly tag?: string | undefined
}

interface Notes extends Carried {
  readonly body?: 'empty' | 'null'
}

/** Says that the envelope stands before the body, after four bytes that tell its length. */
const framed = 'framed'
const lengthBytes = 4
/** RocketMQ takes no empty body. */
const nothing: Uint8Array = new Uint8Array([0x2d])

/** `always`: with an envelope even where there is nothing to say, which tells a message of ours that has no key. */
export function toOutgoing(message: Message, limits: Capabilities['messages'], always: boolean): Outgoing {
  checkSize(message, limits)
  const carried = carriedHeaders(message.headers, roomForProperties, isProperty)
  const packed = message.headers.filter(([name], index) => carried.get(name) !== index)
  const notes: Notes = { ...bodyNote(message.body), ...carriedNote(carried) }
  const properties = new Map([...carried].map(([name, index]) => [name, String(message.headers[index]?.[1])]))
  const isPlain = packed.length === 0 && carried.size <= 1 && notes.body === undefined && !hasFields(message)
  if (always || !isPlain) properties.set(packedName, escaped(packEnvelope(transportName, message, packed, notes)))
  const body = message.body !== null && message.body.length > 0 ? new Uint8Array(message.body) : nothing
  const about = { tag: tagOf(message), keys: keysOf(message) }
  return weightOf(properties) <= roomForBytes ? { body, properties, ...about } : { ...framing(message, body, limits), ...about }
}

function framing(
  message: Message,
  body: Uint8Array,
  { maxBody }: Capabilities['messages'],
): Pick<Outgoing, 'body' | 'properties'> {
  const envelope = Buffer.from(packEnvelope(transportName, message, message.headers, bodyNote(message.body)))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(envelope.length)
  const whole = Buffer.concat([length, envelope, body])
  if (whole.length > maxBody)
    throw new RedriveError('too-large', `The message has ${whole.length} bytes with its headers; ${maxBody} are allowed.`)
  return { body: whole, properties: new Map([[packedName, framed]]) }
}

function checkSize({ body, headers }: Message, { maxBody, maxHeaders }: Capabilities['messages']): void {
  if (body !== null && !(body instanceof Uint8Array)) throw new RedriveError('bad-message', 'A body is bytes or null.')
  if (body !== null && body.byteLength > maxBody)
    throw new RedriveError('too-large', `The body has ${body.byteLength} bytes; at most ${maxBody} are allowed (maxBody).`)
  if (!headersFit(headers, maxHeaders))
    throw new RedriveError('too-large', `The headers have ${headersSize(headers)} bytes; at most ${maxHeaders} are allowed.`)
}

function bodyNote(body: Uint8Array | null): Pick<Notes, 'body'> {
  if (body === null) return { body: 'null' }
  return body.length === 0 ? { body: 'empty' } : {}
}

/** The one that it came with; of a message that is new, its type, so that consumers can choose by it. */
function tagOf({ native, type }: Message): string | undefined {
  const tag = native?.transport === transportName ? native.properties['tag'] : type
  return typeof tag === 'string' && isPlainText(tag) && tag.trim() !== '' && !tag.includes('|') && tag.length <= 128
    ? tag
    : undefined
}

/** Those that it came with; of a message that is new, its id, by which RocketMQ's tools find it. */
function keysOf({ native, id }: Message): readonly string[] {
  const keys = native?.transport === transportName ? native.properties['keys'] : [id]
  const isKey = (key: unknown): key is string => typeof key === 'string' && /^\S{1,128}$/.test(key) && isPlainText(key)
  return Array.isArray(keys) ? keys.filter(isKey) : []
}

/** Made anew for each delivery: what a handler does to a body is not seen by the next one. */
export function toMessage(incoming: Incoming): Message {
  const packed = incoming.properties.get(packedName)
  if (packed === framed) return ofFrame(incoming) ?? ofOthers(incoming)
  const ours = packed === undefined ? undefined : unpackEnvelope(packed)
  return ours ? ofOurs(incoming, ours) : ofOthers(incoming)
}

function ofOurs(incoming: Incoming, packed: Message): Message {
  const notes = (packed.native?.properties ?? {}) as Notes
  const theirs = new Map<string, HeaderValue>(incoming.properties)
  theirs.delete(packedName)
  const headers = restoredHeaders(packed.headers, notes, theirs)
  return { ...packed, body: bodyOf(incoming.body, notes), headers, native: nativeOf(incoming) }
}

function ofFrame(incoming: Incoming): Message | undefined {
  const bytes = Buffer.from(incoming.body)
  const end = lengthBytes + (bytes.length < lengthBytes ? 0 : bytes.readUInt32BE())
  const packed = end > bytes.length ? undefined : unpackEnvelope(bytes.toString('utf8', lengthBytes, end))
  if (!packed) return undefined
  const notes = (packed.native?.properties ?? {}) as Notes
  return { ...packed, body: bodyOf(bytes.subarray(end), notes), native: nativeOf(incoming) }
}

function bodyOf(body: Uint8Array, { body: note }: Notes): Uint8Array | null {
  if (note === 'null') return null
  return note === 'empty' ? new Uint8Array(0) : new Uint8Array(body)
}

function ofOthers(incoming: Incoming): Message {
  const { body, properties, messageGroup: key, tag: type } = incoming
  return { body: new Uint8Array(body), headers: [...properties], ...present({ key, type }), native: nativeOf(incoming) }
}

function nativeOf({ native }: Incoming): NonNullable<Message['native']> {
  return { transport: transportName, properties: native }
}
